import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { isOwner } from '#rules/role.ts'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { findOwnAccount, type Person, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { TextField } from '../../../ui/fields/field.tsx'

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
