import { useMutation, useQuery } from '@tanstack/react-query'
import Send from 'lucide-react/icons/send'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { queryClient } from '../../store/query-client.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { ErrorSummary, focusFirst } from '../../ui/error-summary.tsx'
import { AddressField } from './address-field.tsx'
import { judge, type Known } from './addresses.ts'
import { type Choices, pendingInvitations } from './choices.ts'
import { MailPreview } from './mail-preview.tsx'
import { firstOffer, lifetimeOf, toParams } from './offer.ts'
import { OfferFields } from './offer-fields.tsx'
import { Results, readResults, type SendResult } from './results.tsx'

/** Invites by e-mail, and then says of each address what became of it. */
export function EmailForm({ choices, onClose }: { choices: Choices; onClose: () => void }): ReactNode {
  const known = useKnown()
  const [emails, setEmails] = useState<readonly string[]>([])
  const [offer, setOffer] = useState(() => firstOffer(choices))
  const [errors, setErrors] = useState<{ emails?: string; days?: string }>({})
  const [results, setResults] = useState<readonly SendResult[] | null>(null)
  const form = useRef<HTMLFormElement>(null)

  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => call('POST /invites', { invitee_emails: emails.join('\n'), ...toParams(offer) }),
    onSuccess: () => setResults(readResults(emails, null)),
    onError: (failure) => {
      if (failure instanceof ApiError && failure.code === 'INVITATION_FAILED') setResults(readResults(emails, failure))
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['invitations'] }),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const malformed = emails.filter((email) => judge(email, known) === 'malformed')
    const found = {
      ...(emails.length === 0 && { emails: 'Add at least one address.' }),
      ...(malformed.length > 0 && { emails: `Mend or take out: ${malformed.join(', ')}` }),
      ...(lifetimeOf(offer) === undefined && { days: 'That is no number of days.' }),
    }
    setErrors(found)
    focusFirst(form.current, found)
    if (Object.keys(found).length === 0) mutate()
  }

  function goOn(remaining: readonly string[]) {
    setResults(null)
    setEmails(remaining)
    reset()
  }

  if (results !== null) return <Results results={results} failure={error} onMore={goOn} onClose={onClose} />
  const count = emails.length
  return (
    <form ref={form} className="dialog-form" noValidate onSubmit={submit}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title="Nobody was invited" trouble={toTrouble(error)} />}
        <ErrorSummary errors={errors} />
        <AddressField
          emails={emails}
          onChange={(changed) => {
            setEmails(changed)
            setErrors(({ emails: _, ...others }) => others)
          }}
          known={known}
          error={errors.emails ?? null}
        />
        <OfferFields choices={choices} offer={offer} onChange={setOffer} daysError={errors.days ?? null} />
        <MailPreview offer={offer} />
      </div>
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" isPending={isPending} icon={<Send className="icon" aria-hidden="true" />}>
          {count < 2 ? 'Send the invitation' : `Send ${count} invitations`}
        </Button>
      </DialogActions>
    </form>
  )
}

/** What addresses are compared with as they are typed; the server judges again, and knows more. */
function useKnown(): Known {
  const { realm_users } = useOrganization()
  const { data: invitations = [] } = useQuery(pendingInvitations)
  return {
    members: new Set(realm_users.flatMap(({ delivery_email }) => delivery_email?.toLowerCase() ?? [])),
    invited: new Set(invitations.flatMap(({ email }) => email?.toLowerCase() ?? [])),
    domains: useAllowedDomains(),
  }
}

function useAllowedDomains(): Known['domains'] {
  const { realm_emails_restricted_to_domains: isRestricted } = useOrganization()
  const { data } = useQuery({
    queryKey: ['domains'],
    queryFn: async ({ signal }) => (await call('GET /realm/domains', {}, { signal })).domains,
    enabled: isRestricted === true,
  })
  return isRestricted === true ? (data ?? null) : null
}
