import { useMutation, useQuery } from '@tanstack/react-query'
import Send from 'lucide-react/icons/send'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { type AddressContext, addressStatus, isInvitable, readAddresses, unique } from '../../picking/addresses.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { DOMAINS_KEY, queryClient } from '../../store/query-client.ts'
import { useStoredState } from '../../store/stored-state.ts'
import { t } from '../../text/t.ts'
import { DialogForm } from '../../ui/dialog.tsx'
import { ErrorSummary, focusFirst } from '../../ui/error-summary.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import {
  type InvitationChoices,
  type InvitationDraft,
  invitationChoices,
  lifetimeMinutes,
  newInvitationDraft,
  pendingInvitations,
  restrictDraft,
  toInvitationParams,
} from '../invitation-draft.ts'
import * as css from '../invite-dialog.module.css'
import { type Addresses, AddressField } from './address-field.tsx'
import { InvitationFields } from './invitation-fields.tsx'
import { Results, readResults, type SendResult } from './results.tsx'

/** A preview of the email, without its link. */
function MailPreview({ offer }: { offer: InvitationDraft }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const minutes = lifetimeMinutes(offer)
  return (
    <details className={css.preview} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('Preview email')}</summary>
      {isOpen && minutes !== undefined && <Preview role={offer.role} minutes={minutes} />}
    </details>
  )
}

function Preview({ role, minutes }: { role: number; minutes: number | null }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['invitation-preview', role, minutes],
    queryFn: ({ signal }) =>
      call('GET /invites/preview', { invite_as: role, invite_expires_in_minutes: minutes }, { signal }),
  })
  if (error !== null) return <ErrorNotice error={toAppError(error)} />
  const query = new URLSearchParams({ invite_as: String(role), ...(minutes !== null && { minutes: String(minutes) }) })
  return (
    <div className="stack">
      <p>
        <span className="soft">{t('Subject:')}</span> <b>{data?.subject ?? '…'}</b>
      </p>
      <iframe
        className={css.previewFrame}
        title={t('Email preview')}
        sandbox=""
        src={`/invites/preview/html?${query}`}
      />
    </div>
  )
}

/** The maximum number of invalid addresses that an error lists. */
const NAMED = 5

/**
 * Invites people by email, and then lists the result for each address. The form keeps its content until the invitations
 * are sent or the user cancels.
 */
export function EmailForm({ choices, onClose }: { choices: InvitationChoices; onClose: () => void }): ReactNode {
  const { is_admin } = useOrganization('is_admin')
  const known = useAddressContext()
  const [filled, fill, forget] = useStoredState<Addresses & { offer: InvitationDraft }>('invite.email', () => ({
    emails: [],
    typed: '',
    offer: newInvitationDraft(choices),
  }))
  const { emails, typed } = filled
  const offer = restrictDraft(filled.offer, choices)
  const [errors, setErrors] = useState<FormErrors>({})
  const [results, setResults] = useState<readonly SendResult[] | null>(null)
  const form = useRef<HTMLFormElement>(null)

  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (sent: readonly string[]) =>
      call('POST /invites', { invitee_emails: sent.join('\n'), ...toInvitationParams(offer) }),
    onSuccess: (_, sent) => conclude(sent, null),
    onError: (failure, sent) => {
      if (failure instanceof ApiError && failure.code === 'INVITATION_FAILED') conclude(sent, failure)
    },
    // The outcome is shown before the invitations are loaded.
    onSettled: () => void refreshInvitations(),
  })

  function conclude(sent: readonly string[], failure: ApiError | null) {
    setResults(readResults(sent, failure))
    forget()
  }

  function submit() {
    const all = unique([...emails, ...readAddresses(typed)])
    fill({ emails: all, typed: '' })
    const found = findErrors({ emails: all, offer, known, emailsLeft: choices.emails_left })
    setErrors(found)
    focusFirst(form.current, found)
    if (Object.keys(found).length === 0) mutate(all)
  }

  function goOn(remaining: readonly string[]) {
    setResults(null)
    fill({ emails: remaining, offer })
    reset()
  }

  function cancel() {
    forget()
    onClose()
  }

  if (results !== null) return <Results results={results} failure={error} onMore={goOn} onClose={onClose} />
  const count = unique([...emails, ...readAddresses(typed)]).filter((email) => isInvitable(email, known)).length
  return (
    <DialogForm
      ref={form}
      action={t('{count, plural, =0 {Send invitation} one {Send invitation} other {Send # invitations}}', { count })}
      icon={<Send className="icon" aria-hidden="true" />}
      isPending={isPending}
      onSubmit={submit}
      onCancel={cancel}
    >
      {error !== null && <ErrorNotice title={t('Couldn’t send the invitations')} error={toAppError(error)} />}
      <ErrorSummary errors={errors} />
      {!choices.sends_email && (
        <Notice kind="warn" title={t('This server can’t send email yet')}>
          <p>
            {is_admin
              ? t('After you send, copy the link of each invitation and share it yourself.')
              : t('Ask an administrator to share the links of your invitations, or create an invitation link instead.')}
          </p>
        </Notice>
      )}
      <AddressField
        emails={emails}
        typed={typed}
        onChange={(changed) => {
          fill(changed)
          setErrors(({ emails: _, ...others }) => others)
        }}
        known={known}
        error={errors.emails ?? null}
        hint={choices.emails_left === null ? null : leftToday(choices.emails_left)}
      />
      <InvitationFields
        choices={choices}
        offer={offer}
        onChange={(offer) => fill({ offer })}
        daysError={errors.days ?? null}
      />
      <MailPreview offer={offer} />
    </DialogForm>
  )
}

const refreshInvitations = () =>
  Promise.all(
    [['invitations'], invitationChoices.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  )

type FormErrors = { emails?: string; days?: string }

function findErrors(props: {
  emails: readonly string[]
  offer: InvitationDraft
  known: AddressContext
  emailsLeft: number | null
}): FormErrors {
  const { emails, offer, known, emailsLeft } = props
  const malformed = emails.filter((email) => addressStatus(email, known) === 'malformed')
  return {
    ...(emails.length === 0 && { emails: t('Add at least one address.') }),
    ...(malformed.length > 0 && { emails: t('Fix or remove: {emails}', { emails: someOf(malformed) }) }),
    ...(emailsLeft !== null && emails.length > emailsLeft && { emails: leftToday(emailsLeft) }),
    ...(lifetimeMinutes(offer) === undefined && { days: t('Enter a number of days.') }),
  }
}

function leftToday(count: number): string {
  if (count === 0) return t('You’ve reached today’s limit for invitations. Try again tomorrow.')
  return t('You can send {count, plural, one {# more invitation} other {# more invitations}} today.', { count })
}

const someOf = (emails: readonly string[]) =>
  emails.length > NAMED
    ? t('{emails}, and {count} more', { emails: emails.slice(0, NAMED).join(', '), count: emails.length - NAMED })
    : emails.join(', ')

/** Returns the addresses of members and invitations, for checks while typing. The server checks again. */
function useAddressContext(): AddressContext {
  const { realm_users } = useOrganization('realm_users')
  const { data: invitations } = useQuery(pendingInvitations)
  const domains = useAllowedDomains()
  return useMemo(
    () => ({
      members: new Set(realm_users.flatMap(({ delivery_email }) => delivery_email?.toLowerCase() ?? [])),
      invited: new Set(invitations?.flatMap(({ email }) => email?.toLowerCase() ?? [])),
      domains,
    }),
    [realm_users, invitations, domains],
  )
}

function useAllowedDomains(): AddressContext['domains'] {
  const { realm_emails_restricted_to_domains: isRestricted } = useOrganization('realm_emails_restricted_to_domains')
  const { data } = useQuery({
    queryKey: DOMAINS_KEY,
    queryFn: async ({ signal }) => (await call('GET /realm/domains', {}, { signal })).domains,
    enabled: isRestricted === true,
  })
  return isRestricted === true ? (data ?? null) : null
}
