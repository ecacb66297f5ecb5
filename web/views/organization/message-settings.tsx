import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { SavedCheck, SavedNumber, SavedPolicy } from './saved-fields.tsx'

const SECONDS = [
  { value: 60, label: t('For a minute') },
  { value: 600, label: t('For ten minutes') },
  { value: 3600, label: t('For an hour') },
  { value: 86_400, label: t('For a day') },
  { value: 604_800, label: t('For a week') },
  { value: null, label: t('At any time') },
]

const DAYS = [
  { value: 30, label: t('For 30 days') },
  { value: 90, label: t('For 90 days') },
  { value: 365, label: t('For a year') },
  { value: -1, label: t('For good') },
]

const inSeconds = (value: number) => t('For {value} seconds', { value })

/** Keeping messages for less long than now deletes some of them. */
const askBeforeForgetting = (chosen: number | null, present: number | null): string | null =>
  chosen !== null && chosen > 0 && (present === null || present < 0 || chosen < present)
    ? t('Messages older than {chosen} days are deleted for everybody, and cannot be brought back.', { chosen })
    : null

/** How long messages can be changed and are kept. */
export function MessageSettings(): ReactNode {
  return (
    <section className="card settings-card" aria-label={t('Messages')}>
      <SavedCheck name="allow_message_editing">{t('People may edit what they wrote')}</SavedCheck>
      <SavedNumber
        name="message_content_edit_limit_seconds"
        label={t('How long they may edit')}
        options={SECONDS}
        describe={inSeconds}
      />
      <SavedNumber
        name="message_content_delete_limit_seconds"
        label={t('How long they may delete')}
        hint={t('Who may delete what others wrote may so at any time.')}
        options={SECONDS}
        describe={inSeconds}
      />
      <SavedNumber
        name="move_messages_within_stream_limit_seconds"
        label={t('How long messages may be moved to other topics')}
        options={SECONDS}
        describe={inSeconds}
      />
      <SavedNumber
        name="move_messages_between_streams_limit_seconds"
        label={t('How long messages may be moved to other channels')}
        options={SECONDS}
        describe={inSeconds}
      />
      <SavedPolicy
        label={t('What is shown of earlier versions')}
        options={[
          { id: 'all', label: t('Every version, and where it stood') },
          { id: 'moves', label: t('Only where it stood') },
          { id: 'none', label: t('Nothing') },
        ]}
      />
      <SavedNumber
        name="message_retention_days"
        label={t('How long messages are kept')}
        hint={t('Older ones are deleted for everybody, and cannot be brought back.')}
        options={DAYS}
        describe={(value) => t('For {value} days', { value })}
        ask={askBeforeForgetting}
      />
      <SavedCheck name="mandatory_topics">{t('Messages in channels need a topic')}</SavedCheck>
      <SavedCheck name="enable_read_receipts">{t('People may see who has read a message')}</SavedCheck>
    </section>
  )
}
