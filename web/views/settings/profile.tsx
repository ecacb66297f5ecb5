import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { findOwnAccount, useOrganization } from '../../store/organization.ts'
import { roleName } from '../../store/people/role.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ComboField } from '../../ui/fields/combo-field.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.ts'
import { AutosaveField } from './autosave-field.tsx'
import { OwnAnswers } from './own-answers.tsx'
import { OwnPicture } from './own-picture.tsx'

const ZONES = Intl.supportedValuesOf('timeZone').map((id) => ({ id, label: id.replaceAll('_', ' ') }))

/** Picture, name, address and time zone, as others know them. */
export function Profile(): ReactNode {
  const organization = useOrganization()
  const account = findOwnAccount(organization)
  const name = account?.full_name ?? organization.full_name
  const { is_admin, realm_name_changes_disabled, realm_email_changes_disabled } = organization
  const isNameFixed = realm_name_changes_disabled && !is_admin
  const isEmailFixed = realm_email_changes_disabled && !is_admin
  const { mutate: saveZone } = useMutation({
    mutationFn: (timezone: string) => call('PATCH /settings', { timezone }),
    onSuccess: () => toast('Time zone saved'),
    onError: (error) => toast(toTrouble(error).message, { kind: 'error' }),
  })
  return (
    <div className="stack">
      <section className="card settings-card" aria-label="Profile">
        <OwnPicture name={name}>
          <b>{name}</b>
          <Badge kind="accent">{roleName(account?.role ?? 400)}</Badge>
        </OwnPicture>
        <AutosaveField
          label="Name"
          value={name}
          autoComplete="name"
          description={
            isNameFixed
              ? 'Administrators of this organization decided that only they change names.'
              : 'Shown beside everything that you write.'
          }
          isReadOnly={isNameFixed}
          check={(value) => (value.trim() === '' ? 'Others need a name to call you by.' : null)}
          save={(full_name) => call('PATCH /settings', { full_name: full_name.trim() })}
        />
        <ComboField
          label="Time zone"
          value={account?.timezone || null}
          onChoose={saveZone}
          options={ZONES}
          placeholder="Find a city"
          description="Lets others see what time it is where you are."
        />
      </section>
      <OwnAnswers />
      {isEmailFixed ? (
        <section className="card settings-card" aria-label="E-mail address">
          <EmailHead current={organization.delivery_email} />
          <p className="soft small">Administrators of this organization decided that only they change addresses.</p>
        </section>
      ) : (
        <EmailChange current={organization.delivery_email} />
      )}
    </div>
  )
}

const EmailHead = ({ current }: { current: string }) => (
  <div>
    <h2>E-mail address</h2>
    <p className="soft">{current}</p>
  </div>
)

/** The address, which changes once a link that is mailed to the new one was followed. */
function EmailChange({ current }: { current: string }): ReactNode {
  const [email, setEmail] = useState('')
  const [complaint, setComplaint] = useState<string | null>(null)
  const { mutate, isPending, isSuccess, error, variables, reset } = useMutation({
    mutationFn: (address: string) => call('PATCH /settings', { email: address }),
    onSuccess: () => setEmail(''),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const isAddress = /^\S+@\S+$/.test(email.trim())
    setComplaint(isAddress ? null : 'That is not an e-mail address.')
    if (isAddress && !isPending) mutate(email.trim())
  }

  return (
    <form className="card settings-card" aria-label="E-mail address" noValidate onSubmit={submit}>
      <EmailHead current={current} />
      <TextField
        label="New address"
        type="email"
        autoComplete="email"
        value={email}
        error={complaint ?? (error === null ? null : toTrouble(error).message)}
        description="We mail a link there. The address changes when you follow it; until then the old one stays."
        onChange={(value) => {
          setEmail(value)
          setComplaint(null)
          reset()
        }}
        after={
          <Button type="submit" isPending={isPending}>
            Mail the link
          </Button>
        }
      />
      {isSuccess && (
        <div role="status">
          <Notice kind="good">We mailed a link to {variables}.</Notice>
        </div>
      )}
    </form>
  )
}
