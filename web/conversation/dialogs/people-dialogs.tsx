import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { readableName } from '../../emoji/emoji.ts'
import { EmojiGlyph } from '../../emoji/emoji-glyph.tsx'
import { PersonButton } from '../../people/cards.tsx'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { usePeople } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { toChips, useNames } from '../message/reaction-chips.ts'
import type { PartProps } from './part.ts'
import * as css from './parts.module.css'

/** The read receipts of a message. */
export function ReadersDialog({ message, onClose }: PartProps): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['message-readers', message.id],
    queryFn: ({ signal }) => call('GET /messages/{message_id}/read_receipts', { message_id: message.id }, { signal }),
    gcTime: 0,
  })
  return (
    <Dialog title={t('Seen by')} isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null ? (
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading label={t('Loading read receipts')} />
        ) : (
          <Readers ids={data.user_ids} />
        )}
        <p className="soft small">{t('The sender and people who turned off read receipts aren’t listed.')}</p>
      </div>
    </Dialog>
  )
}

function Readers({ ids }: { ids: readonly number[] }): ReactNode {
  const { user_id } = useOrganization('user_id')
  const find = usePeople()
  const people = ids.map(find).filter((person) => person !== undefined)
  if (people.length === 0) return <p>{t('No one has read this message yet.')}</p>
  return (
    <ul className={css.readers}>
      {people
        .sort((one, other) => byName.compare(one.full_name, other.full_name))
        .map((person) => (
          <li key={person.user_id}>
            <Avatar id={person.user_id} name={person.full_name} url={person.avatar_url} />
            <PersonButton userId={person.user_id}>
              {person.user_id === user_id ? t('{name} (you)', { name: person.full_name }) : person.full_name}
            </PersonButton>
          </li>
        ))}
    </ul>
  )
}

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

/** The reactions to a message with their users. */
export function ReactionsDialog({ message, onClose }: PartProps): ReactNode {
  const { user_id } = useOrganization('user_id')
  const nameOf = useNames()
  const chips = toChips(message.reactions)
  return (
    <Dialog title={t('Reactions')} isOpen onClose={onClose}>
      <div className="dialog-body">
        {chips.length === 0 && <p className="soft">{t('No reactions.')}</p>}
        {chips.map(({ key, emoji, userIds }) => (
          <section key={key} className={css.reacted}>
            <h3>
              <EmojiGlyph emoji={emoji} /> {readableName(emoji.emoji_name)}
            </h3>
            <ul>
              {userIds.map((id) => (
                <li key={id}>
                  <PersonButton userId={id}>{id === user_id ? t('You') : nameOf(id)}</PersonButton>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
