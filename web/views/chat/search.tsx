import { useNavigate } from '@tanstack/react-router'
import SearchIcon from 'lucide-react/icons/search'
import SearchX from 'lucide-react/icons/search-x'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Narrow } from '../../store/messages/narrow.ts'
import { useOrganization } from '../../store/organization.ts'
import { switcher } from '../../store/page/switcher.ts'
import { messageablePeople } from '../../store/people/people.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { sortedChannels } from '../channel/channels.ts'
import { ChatLayout } from './chat-layout.tsx'
import { useCurrentNarrow } from './current-narrow.ts'
import { MessagesPage } from './messages-page.tsx'
import { ChatHeader } from './pane/chat-header.tsx'
import './search.css'
import { t } from '../../text/t.ts'
import { toLocation } from './to-location.ts'

type SearchNarrow = Extract<Narrow, { kind: 'search' }>

const ANYWHERE = 0

const ICON = <SearchIcon className="icon" aria-hidden="true" />

/** Searches messages by words, and by channel and sender. */
export function Search(): ReactNode {
  const narrow = useCurrentNarrow()
  const { realm_name } = useOrganization()
  if (narrow?.kind !== 'search') return null
  const { words: text, channelId, senderId } = narrow
  const isEmpty = text === '' && channelId === undefined && senderId === undefined
  const key = JSON.stringify(narrow)
  const form = <SearchForm key={key} narrow={narrow} />
  return (
    <ChatLayout>
      {isEmpty ? (
        <>
          <ChatHeader title={t('Search')} within={realm_name} icon={ICON} />
          {form}
        </>
      ) : (
        <MessagesPage
          key={key}
          narrow={narrow}
          title={text === '' ? t('Search') : t('Search: {text}', { text })}
          icon={ICON}
          above={form}
          isOnlyLookedAt
          opensAtEnd
          empty={
            <Empty icon={<SearchX />} title={t('No messages found')}>
              <p>{t('Results contain all of the words. Try fewer words or another channel.')}</p>
            </Empty>
          }
        />
      )}
    </ChatLayout>
  )
}

function SearchForm({ narrow }: { narrow: SearchNarrow }): ReactNode {
  const organization = useOrganization()
  const navigate = useNavigate()
  const [text, setText] = useState(narrow.words)
  const [channelId, setChannelId] = useState(narrow.channelId ?? ANYWHERE)
  const [senderId, setSenderId] = useState(narrow.senderId ?? ANYWHERE)

  // Without a query, the user wants to type one.
  const isEmpty = narrow.words === '' && narrow.channelId === undefined && narrow.senderId === undefined
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isEmpty) form.current?.querySelector('input')?.focus({ preventScroll: true })
  }, [isEmpty])

  function submit(event: FormEvent) {
    event.preventDefault()
    const next: SearchNarrow = {
      kind: 'search',
      words: text.trim(),
      ...(channelId !== ANYWHERE && { channelId }),
      ...(senderId !== ANYWHERE && { senderId }),
    }
    void navigate(toLocation(next))
  }

  return (
    <search className="search-above">
      <form ref={form} className="search-form" onSubmit={submit}>
        <TextField
          label={t('Words')}
          name="words"
          type="search"
          value={text}
          onChange={(typed) => (typed === '>' ? switcher.set(true) : setText(typed))}
        />
        <SelectField
          label={t('Channel')}
          value={channelId}
          onChange={setChannelId}
          options={[
            { id: ANYWHERE, label: t('Anywhere') },
            ...sortedChannels(organization.subscriptions).map(({ stream_id, name }) => ({
              id: stream_id,
              label: name,
            })),
          ]}
        />
        <SelectField
          label={t('Sender')}
          value={senderId}
          onChange={setSenderId}
          options={[
            { id: ANYWHERE, label: t('Anyone') },
            ...messageablePeople(organization).map(({ user_id, full_name }) => ({ id: user_id, label: full_name })),
          ]}
        />
        <Button type="submit" kind="primary" icon={<SearchIcon className="icon" aria-hidden="true" />}>
          {t('Search')}
        </Button>
      </form>
      {isEmpty && <p className="search-hint soft small">{t('Type > for all commands.')}</p>}
    </search>
  )
}
