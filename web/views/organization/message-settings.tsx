import type { ReactNode } from 'react'
import { SavedCheck, SavedNumber, SavedPolicy } from './saved-fields.tsx'

const SECONDS = [
  { value: 60, label: 'For a minute' },
  { value: 600, label: 'For ten minutes' },
  { value: 3600, label: 'For an hour' },
  { value: 86_400, label: 'For a day' },
  { value: 604_800, label: 'For a week' },
  { value: null, label: 'At any time' },
]

const DAYS = [
  { value: 30, label: 'For 30 days' },
  { value: 90, label: 'For 90 days' },
  { value: 365, label: 'For a year' },
  { value: -1, label: 'For good' },
]

const inSeconds = (value: number) => `For ${value} seconds`

/** Keeping messages for less long than now deletes some of them. */
const askBeforeForgetting = (chosen: number | null, present: number | null): string | null =>
  chosen !== null && chosen > 0 && (present === null || present < 0 || chosen < present)
    ? `Messages older than ${chosen} days are deleted for everybody, and cannot be brought back.`
    : null

/** How long messages can be changed and are kept. */
export function MessageSettings(): ReactNode {
  return (
    <section className="card settings-card" aria-label="Messages">
      <SavedCheck name="allow_message_editing">People may edit what they wrote</SavedCheck>
      <SavedNumber
        name="message_content_edit_limit_seconds"
        label="How long they may edit"
        options={SECONDS}
        describe={inSeconds}
      />
      <SavedNumber
        name="message_content_delete_limit_seconds"
        label="How long they may delete"
        hint="Who may delete what others wrote may so at any time."
        options={SECONDS}
        describe={inSeconds}
      />
      <SavedNumber
        name="move_messages_within_stream_limit_seconds"
        label="How long messages may be moved to other topics"
        options={SECONDS}
        describe={inSeconds}
      />
      <SavedNumber
        name="move_messages_between_streams_limit_seconds"
        label="How long messages may be moved to other channels"
        options={SECONDS}
        describe={inSeconds}
      />
      <SavedPolicy
        label="What is shown of earlier versions"
        options={[
          { id: 'all', label: 'Every version, and where it stood' },
          { id: 'moves', label: 'Only where it stood' },
          { id: 'none', label: 'Nothing' },
        ]}
      />
      <SavedNumber
        name="message_retention_days"
        label="How long messages are kept"
        hint="Older ones are deleted for everybody, and cannot be brought back."
        options={DAYS}
        describe={(value) => `For ${value} days`}
        ask={askBeforeForgetting}
      />
      <SavedCheck name="mandatory_topics">Messages in channels need a topic</SavedCheck>
      <SavedCheck name="enable_read_receipts">People may see who has read a message</SavedCheck>
    </section>
  )
}
