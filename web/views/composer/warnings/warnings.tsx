import { useMutation, useQuery } from '@tanstack/react-query'
import Info from 'lucide-react/icons/info'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type ReactNode, useDeferredValue } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { withResolved } from '../../../store/messages/topic-title.ts'
import { channelTopics, findNewestId } from '../../../store/messages/topics.ts'
import { type Subscription, useOrganization } from '../../../store/organization.ts'
import { channelSubscribers } from '../../../store/people/subscribers.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { mayAddPeople } from '../../channels/rights.ts'
import { renameTopic } from '../../chat/conversation-menus/change-topic.ts'
import type { Destination } from '../destination.ts'
import { findWarnings } from './find-warnings.ts'
import type { Warning } from './warning.ts'
import './warnings.css'

/** The warnings about a message, above its text. */
export function Warnings(props: {
  text: string
  destination: Destination
  onChange: (destination: Destination) => void
}): ReactNode {
  const { text, destination, onChange } = props
  const organization = useOrganization()
  const channelId = destination.kind === 'channel' ? destination.channelId : null
  const channel = organization.subscriptions.find(({ stream_id }) => stream_id === channelId)
  const enabled = channel !== undefined
  const { data: subscribers } = useQuery({ ...channelSubscribers(channelId ?? 0), enabled })
  const { data: topics } = useQuery({ ...channelTopics(channelId ?? 0), enabled: enabled && text !== '' })
  // Typing has priority over updating the warnings.
  const shownText = useDeferredValue(text)
  const warnings = findWarnings(shownText, destination, {
    organization,
    subscribers: subscribers && new Set(subscribers),
    topics: topics?.map(({ name }) => name),
    mayAddPeople: channel !== undefined && mayAddPeople(organization, channel, true),
  })
  if (warnings.length === 0) return null
  return (
    <ul className="warnings" aria-label={t('Before you send')} aria-live="polite">
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
      if (fix?.action === 'unresolve' && destination.kind === 'channel')
        onChange({ ...destination, topic: withResolved(destination.topic, false) })
    },
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  return (
    <li className="warning" data-kind={kind}>
      <Icon className="icon" aria-hidden="true" />
      <span className="warning-text">{text}</span>
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
  if (fix === undefined || channel === undefined || destination.kind !== 'channel') return
  if (fix.action === 'subscribe') {
    await call('POST /users/me/subscriptions', { subscriptions: [{ name: channel.name }], principals: [fix.userId] })
    return
  }
  const id = await findNewestId(channel.stream_id, destination.topic)
  if (id !== null) await renameTopic(id, withResolved(destination.topic, false))
}
