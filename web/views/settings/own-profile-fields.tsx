import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { findOwnAccount, type ProfileField, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Notice } from '../../ui/feedback/notice.tsx'
import { type AnswerValue, applySavedAnswer } from '../profile-fields/answers/answer.ts'
import { AnswerField, FixedAnswer } from '../profile-fields/answers/answer-field.tsx'

/** The user's profile fields; nothing if the organization has none. */
export function OwnProfileFields(): ReactNode {
  const organization = useOrganization()
  const { custom_profile_fields: fields, is_admin, user_id } = organization
  const answer = findOwnAccount(organization)?.profile_data ?? {}
  const missing = fields.filter((field) => field.required && field.editable_by_user && answer[field.id] === undefined)
  if (fields.length === 0) return null
  return (
    <section className="settings-group settings-form" aria-labelledby="own-answers">
      <h2 id="own-answers">{t('More about you')}</h2>
      {missing.length > 0 && (
        <Notice kind="warn" title={t('Fill in the required fields')}>
          <p>{missing.map(({ name }) => name).join(', ')}</p>
        </Notice>
      )}
      {fields.map((field) =>
        field.editable_by_user || is_admin ? (
          <AnswerField
            key={field.id}
            field={field}
            value={answer[field.id]}
            save={(value) => save(user_id, field, value)}
          />
        ) : (
          <FixedAnswer key={field.id} field={field} value={answer[field.id]} />
        ),
      )}
    </section>
  )
}

async function save(userId: number, field: ProfileField, value: AnswerValue): Promise<void> {
  await call('PATCH /users/me/profile_data', { data: [{ id: field.id, value }] })
  applySavedAnswer(userId, field, value)
}
