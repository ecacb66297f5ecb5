import { useMutation, useQuery } from '@tanstack/react-query'
import Info from 'lucide-react/icons/info'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type ReactNode, useDeferredValue } from 'react'
import { call } from '../../api/call.ts'
import { mayAddPeople } from '../../channels/channel.ts'
import { readStoredDraft } from '../../messages/drafts.ts'
import { fetchMessage, renameTopic } from '../../messages/message-source.ts'
import { withResolved } from '../../messages/narrow.ts'
import { channelTopics, findNewestId } from '../../messages/topics.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Subscription, useOrganization } from '../../store/organization.ts'
import { channelSubscribers } from '../../store/subscribers.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toasts.ts'
import type { Destination } from '../destination.ts'
import { findWarnings, isWithoutMessages } from './find-warnings.ts'
import type { RecipientFacts, Warning } from './warning.ts'
import * as css from './warnings.module.css'

/** The warnings about a message, above its text. */
export function Warnings(props: {
  draftKey: string
  text: string
  destination: Destination
  onChange: (destination: Destination) => void
}): ReactNode {
  const { draftKey, text, destination, onChange } = props
  const organization = useOrganization()
  const channelId = destination.kind === 'channel' ? destination.channelId : null
  const channel = organization.subscriptions.find(({ stream_id }) => stream_id === channelId)
  const enabled = channel !== undefined
  const { data: subscribers } = useQuery({ ...channelSubscribers(channelId ?? 0), enabled })
  const { data: topics } = useQuery({ ...channelTopics(channelId ?? 0), enabled: enabled && text !== '' })
  const movedTo = useMovedTo(draftKey, destination, topics)
  // Typing has priority over updating the warnings.
  const shownText = useDeferredValue(text)
  const warnings = findWarnings(shownText, destination, {
    organization,
    subscribers: subscribers && new Set(subscribers),
    topics: topics?.map(({ name }) => name),
    mayAddPeople: channel !== undefined && mayAddPeople(organization, channel, true),
    movedTo,
  })
  if (warnings.length === 0) return null
  return (
    <ul className={css.warnings} aria-label={t('Before you send')} aria-live="polite">
      {warnings.map((warning) => (
        <WarningRow
          key={warning.key}
          warning={warning}
          channel={channel}
          destination={destination}
          onChange={onChange}
        />
      ))}
    </ul>
  )
}

/**
 * Returns the topic to which the newest message was moved that the topic of a draft had; undefined if the topic has
 * messages, or if the user cannot read that message.
 */
function useMovedTo(
  draftKey: string,
  destination: Destination,
  topics: readonly { name: string }[] | undefined,
): RecipientFacts['movedTo'] {
  const { subscriptions } = useOrganization('subscriptions')
  const { messageId = 0 } = readStoredDraft(draftKey)
  const names = topics?.map(({ name }) => name)
  const isGone = destination.kind === 'channel' && isWithoutMessages(destination.topic.trim(), names)
  const { data } = useQuery({
    queryKey: ['message-of-draft', messageId],
    queryFn: () => fetchMessage(messageId),
    enabled: isGone && messageId > 0,
    retry: false,
    gcTime: 0,
  })
  const channel = subscriptions.find(({ stream_id }) => stream_id === data?.stream_id)
  if (!isGone || data === undefined || channel === undefined) return undefined
  return { channelId: channel.stream_id, channel: channel.name, topic: data.subject }
}

function WarningRow(props: {
  warning: Warning
  channel: Subscription | undefined
  destination: Destination
  onChange: (destination: Destination) => void
}): ReactNode {
  const { warning, channel, destination, onChange } = props
  const { kind, text, fix } = warning
  const Icon = kind === 'warn' ? TriangleAlert : Info
  const { mutate, isPending } = useMutation({
    mutationFn: () => repair(warning, channel, destination),
    onSuccess() {
      if (fix?.action === 'follow') onChange({ kind: 'channel', channelId: fix.channelId, topic: fix.topic })
      if (fix?.action === 'unresolve' && destination.kind === 'channel')
        onChange({ ...destination, topic: withResolved(destination.topic, false) })
    },
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  return (
    <li className={css.warning} data-kind={kind}>
      <Icon className="icon" aria-hidden="true" />
      <span className={css.warningText}>{text}</span>
      {fix !== undefined && (
        <Button
          kind="quiet"
          isPending={isPending}
          onPress={() => {
            mutate()
            // The focused button disappears together with its warning.
            document.querySelector<HTMLElement>('.composer textarea')?.focus()
          }}
        >
          {fix.label}
        </Button>
      )}
    </li>
  )
}

async function repair({ fix }: Warning, channel: Subscription | undefined, destination: Destination): Promise<void> {
  if (fix === undefined || fix.action === 'follow') return
  if (channel === undefined || destination.kind !== 'channel') return
  if (fix.action === 'subscribe') {
    await call('POST /users/me/subscriptions', { subscriptions: [{ name: channel.name }], principals: [fix.userId] })
    return
  }
  const id = await findNewestId(channel.stream_id, destination.topic)
  if (id !== null) await renameTopic(id, withResolved(destination.topic, false))
}
