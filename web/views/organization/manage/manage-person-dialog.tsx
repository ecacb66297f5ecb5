import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { type Person, useOrganization, usePerson } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { type AnswerValue, applySavedAnswer } from '../../profile-fields/answers/answer.ts'
import { AnswerField } from '../../profile-fields/answers/answer-field.tsx'
import { AutosaveField } from '../../settings/autosave-field.tsx'
import { ManagedAccess } from './managed-access.tsx'
import { ManagedAddress } from './managed-address.tsx'
import { ManagedChannels } from './managed-channels.tsx'
import { ManagedGroups } from './managed-groups.tsx'

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
        </div>
      )}
    </Dialog>
  )
}

/** The server's maximum length of a name, in code points. */
const MAX_NAME = 100

function Profile({ person }: { person: Person }): ReactNode {
  const { custom_profile_fields: fields } = useOrganization()
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
  return [...name].length > MAX_NAME ? t('Use at most {max} characters.', { max: MAX_NAME }) : null
}
