import { useMutation, useQuery } from '@tanstack/react-query'
import Send from 'lucide-react/icons/send'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { queryClient } from '../../store/query-client.ts'
import { toTrouble } from '../../store/trouble.ts'
import { DialogForm, useFormErrors } from '../../ui/dialog-form.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
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
  const errors = useFormErrors<'emails' | 'days'>()
  const [results, setResults] = useState<readonly SendResult[] | null>(null)

  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => call('POST /invites', { invitee_emails: emails.join('\n'), ...toParams(offer) }),
    onSuccess: () => setResults(readResults(emails, null)),
    onError: (failure) => {
      if (failure instanceof ApiError && failure.code === 'INVITATION_FAILED') setResults(readResults(emails, failure))
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['invitations'] }),
  })

  function check() {
    const malformed = emails.filter((email) => judge(email, known) === 'malformed')
    return {
      ...(emails.length === 0 && { emails: 'Add at least one address.' }),
      ...(malformed.length > 0 && { emails: `Mend or take out: ${malformed.join(', ')}` }),
      ...(lifetimeOf(offer) === undefined && { days: 'That is no number of days.' }),
    }
  }

  function goOn(remaining: readonly string[]) {
    setResults(null)
    setEmails(remaining)
    reset()
  }

  if (results !== null) return <Results results={results} failure={error} onMore={goOn} onClose={onClose} />
  const count = emails.length
  return (
    <DialogForm
      errors={errors}
      failure={error !== null && <ErrorNotice title="Nobody was invited" trouble={toTrouble(error)} />}
      check={check}
      onSend={mutate}
      isPending={isPending}
      action={count < 2 ? 'Send the invitation' : `Send ${count} invitations`}
      icon={<Send className="icon" aria-hidden="true" />}
      onClose={onClose}
    >
      <AddressField
        emails={emails}
        onChange={(changed) => {
          setEmails(changed)
          errors.forgive('emails')
        }}
        known={known}
        error={errors.found.emails ?? null}
      />
      <OfferFields choices={choices} offer={offer} onChange={setOffer} daysError={errors.found.days ?? null} />
      <MailPreview offer={offer} />
    </DialogForm>
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
