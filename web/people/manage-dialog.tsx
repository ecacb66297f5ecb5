import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { isOwner } from '#rules/role.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../api/call.ts'
import { AutosaveField } from '../forms/autosave-field.tsx'
import { isPasswordRefusal, useCurrentPassword } from '../forms/current-password.tsx'
import { toAppError } from '../store/app-error.ts'
import { findOwnAccount, type Person, useOrganization, usePerson } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { showToast } from '../ui/toasts.ts'
import { DeactivateAccountsDialog, RoleDialog } from './account-dialogs.tsx'
import { type AnswerValue, applySavedAnswer } from './answer.ts'
import { AnswerField } from './answer-field.tsx'
import { EraseDialog } from './erase-dialog.tsx'
import { ManagedChannels, ManagedGroups } from './memberships.tsx'
import type { Managing } from './use-person-actions.ts'

/** Logs another person out of all browsers and apps, for example because a device was lost. */
export function ManagedAccess({ person }: { person: Person }): ReactNode {
  const { user_id, full_name: name } = person
  const own = findOwnAccount(useOrganization())
  const [isAsking, ask] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /users/{user_id}/sessions', { user_id }),
    onSuccess: () => {
      ask(false)
      showToast(t('{name} was logged out everywhere.', { name }))
    },
  })
  if (own === undefined || user_id === own.user_id || !person.is_active) return null
  if (isOwner(person) && !isOwner(own)) return null
  return (
    <section className="stack" aria-label={t('Access')}>
      <h3>{t('Access')}</h3>
      {error !== null && <ErrorNotice error={toAppError(error)} />}
      {isAsking ? (
        <>
          <p>
            {t('{name} will be logged out of all browsers and apps, and must log in again with the password.', {
              name,
            })}
          </p>
          <div className="row">
            <Button kind="danger" autoFocus isPending={isPending} onPress={() => mutate()}>
              {t('Log out')}
            </Button>
            <Button onPress={() => ask(false)}>{t('Cancel')}</Button>
          </div>
        </>
      ) : (
        <div className="row">
          <Button onPress={() => ask(true)}>{t('Log out everywhere…')}</Button>
        </div>
      )}
    </section>
  )
}

/** Removes the second factors of another person, who has lost them. The server may ask for the current password. */
function ManagedFactors({ person }: { person: Person }): ReactNode {
  const { user_id, full_name: name } = person
  const own = findOwnAccount(useOrganization())
  const [isAsking, ask] = useState(false)
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /users/{user_id}/second_factors', { user_id, ...currentPassword.params }),
    onError: currentPassword.onError,
    onSuccess: () => {
      ask(false)
      showToast(t('{name} can log in with the password alone.', { name }))
    },
  })
  if (own === undefined || user_id === own.user_id || !person.is_active) return null
  if (isOwner(person) && !isOwner(own)) return null
  if (!isAsking)
    return (
      <div className="row">
        <Button onPress={() => ask(true)}>{t('Reset two-step login…')}</Button>
      </div>
    )
  return (
    <section className="stack" aria-label={t('Reset two-step login')}>
      {error !== null && !isPasswordRefusal(error) && <ErrorNotice error={toAppError(error)} />}
      <p>
        {t(
          'The authenticator app, passkeys and recovery codes of {name} are removed. Make sure that it is {name} who asks for it.',
          { name },
        )}
      </p>
      {currentPassword.field}
      <div className="row">
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Reset')}
        </Button>
        <Button onPress={() => ask(false)}>{t('Cancel')}</Button>
      </div>
    </section>
  )
}

/** The email address of another person. Owners can change it; the person confirms the new address by email. */
export function ManagedAddress({ person }: { person: Person }): ReactNode {
  const { user_id, delivery_email: email } = person
  const own = findOwnAccount(useOrganization())
  const [typed, setTyped] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const { mutate, reset, isPending, isSuccess, error, variables } = useMutation({
    mutationFn: (address: string) => call('PATCH /users/{user_id}', { user_id, new_email: address }),
    onSuccess: () => setTyped(null),
  })
  if (email === null) return null
  const mayChange = own !== undefined && isOwner(own) && person.is_active
  const shown = typed ?? email

  function submit(event: FormEvent) {
    event.preventDefault()
    event.stopPropagation()
    const address = shown.trim()
    if (isPending || address === email) return
    if (/^\S+@\S+$/.test(address)) mutate(address)
    else setProblem(t('Enter an email address.'))
  }

  return (
    <form onSubmit={submit} noValidate>
      <TextField
        label={t('Email')}
        autoComplete="off"
        isReadOnly={!mayChange}
        value={shown}
        error={problem ?? (error === null ? null : toAppError(error).message)}
        description={
          !mayChange
            ? t('Only owners can change this.')
            : isSuccess && typed === null
              ? t('A link was sent to {address}. The address changes when the link is opened.', { address: variables })
              : t(
                  'We’ll send a confirmation link to the new address. The change can be undone from the old address for 72 hours.',
                )
        }
        onChange={(text) => {
          setTyped(text)
          setProblem(null)
          reset()
        }}
        {...(mayChange && {
          after: (
            <Button type="submit" isPending={isPending} isDisabled={shown.trim() === email}>
              {t('Change')}
            </Button>
          ),
        })}
      />
    </form>
  )
}

/** Lets administrators change the name, email address, profile fields, groups and channels of another person, and log them out. */
export function ManagePersonDialog({ userId, onClose }: { userId: number; onClose: () => void }): ReactNode {
  const person = usePerson(userId)
  return (
    <Dialog
      title={t('Manage {name}', { name: person?.full_name ?? '' })}
      size="large"
      isOpen={person !== undefined}
      onClose={onClose}
    >
      {person !== undefined && (
        <div className="dialog-body stack">
          <Profile person={person} />
          <ManagedGroups person={person} />
          <ManagedChannels person={person} />
          <ManagedAccess person={person} />
          <ManagedFactors person={person} />
        </div>
      )}
    </Dialog>
  )
}

function Profile({ person }: { person: Person }): ReactNode {
  const { custom_profile_fields: fields } = useOrganization('custom_profile_fields')
  const { user_id, full_name, profile_data = {} } = person
  return (
    <section className="stack" aria-label={t('Profile')}>
      <AutosaveField
        label={t('Full name')}
        value={full_name}
        isRequired
        check={checkName}
        save={(name) => call('PATCH /users/{user_id}', { user_id, full_name: name.trim() })}
      />
      <ManagedAddress person={person} />
      {fields.map((field) => (
        <AnswerField
          key={field.id}
          field={field}
          value={profile_data[field.id]}
          save={async (value: AnswerValue) => {
            await call('PATCH /users/{user_id}', { user_id, profile_data: [{ id: field.id, value }] })
            applySavedAnswer(user_id, field, value)
          }}
        />
      ))}
    </section>
  )
}

function checkName(value: string): string | null {
  const name = value.trim()
  if (name === '') return t('Enter a name.')
  return [...name].length > MAX_LENGTH.fullName
    ? t('Use at most {max} characters.', { max: MAX_LENGTH.fullName })
    : null
}

/** The dialog for an action of administrators about one user. */
export function ManageDialog(props: { person: Person; act: Managing; onClose: () => void }): ReactNode {
  const { person, act, onClose } = props
  if (act === 'manage') return <ManagePersonDialog userId={person.user_id} onClose={onClose} />
  if (act === 'erase') return <EraseDialog person={person} onClose={onClose} />
  const Shown = act === 'role' ? RoleDialog : DeactivateAccountsDialog
  return <Shown people={[person]} onClose={onClose} />
}
