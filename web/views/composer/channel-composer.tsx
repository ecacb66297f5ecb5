import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { isSameTopic } from '../../store/messages/narrow.ts'
import { findChannel, type Subscription, useOrganization } from '../../store/organization.ts'
import { useComposeRequests, withRequestedText } from '../../store/page/compose-request.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { focusFirst } from '../../ui/fields/error-summary.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { toLocation } from '../chat/to-location.ts'
import { ComposerFrame } from './composer-frame.tsx'
import { type Draft, readDraft, saveDraft, topicDraftKey } from './drafts.ts'
import { messageTextError } from './message-text.ts'
import { send } from './send.ts'
import { useSending } from './use-sending.ts'
import { useSentElsewhere } from './use-sent-elsewhere.ts'
import { useTypingNotices } from './use-typing-notices.ts'

type Errors = { channel?: string; topic?: string; text?: string }

type Written = Required<Draft> & { dueAt: number | null }

/**
 * Writes a message to one of the channels. What is typed is kept on this device until it is sent, and goes where it was
 * meant to go when it was begun: whatever arrives meanwhile changes neither its topic nor its channel.
 */
export function ChannelComposer(props: {
  channels: readonly Subscription[]
  /** The current topic, which has its own draft. */
  topic?: string
  /** The latest topic; omitted if unknown. */
  suggestedTopic?: string
}): ReactNode {
  const { channels, topic: readTopic, suggestedTopic = readTopic } = props
  const { user_id } = useOrganization()
  const where = channels.length === 1 ? channels[0]!.stream_id : 'any'
  const target = readTopic === undefined ? `${user_id}.${where}` : topicDraftKey(user_id, where, readTopic)
  const [draft, setDraft] = useState(() => readDraft(target))
  const [errors, setErrors] = useState<Errors>({})
  const form = useRef<HTMLFormElement>(null)
  const { text = '', topic: meantTopic = suggestedTopic } = draft
  const topic = meantTopic ?? ''
  const chosenId = draft.channelId ?? channels[0]!.stream_id
  const channel = channels.find(({ stream_id }) => stream_id === chosenId) ?? (text === '' ? channels[0] : undefined)

  const meant = { channelId: channel?.stream_id ?? chosenId, ...(meantTopic !== undefined && { topic: meantTopic }) }
  const write = (change: Draft) => setDraft({ ...meant, text, ...change })
  useEffect(() => saveDraft(target, draft), [target, draft])
  const changeText = useCallback(
    (rest: (text: string) => string) =>
      setDraft(({ text = '', ...where }) => {
        const left = rest(text)
        // The next message goes to the current topic, wherever the last one went.
        return left === '' && readTopic !== undefined ? {} : { ...where, text: left }
      }),
    [readTopic],
  )
  useSentElsewhere(target, changeText)
  useComposeRequests(({ conversation: place, text: wished }) => {
    if (!('channelId' in place) || !channels.some(({ stream_id }) => stream_id === place.channelId)) return false
    write({ text: withRequestedText(text, wished), ...(text.trim() === '' && place) })
    form.current?.querySelector('textarea')?.focus()
    return true
  })

  const router = useRouter()
  const sending = useSending<Written>({
    place: target,
    deliver: ({ channelId, topic, text, dueAt }) =>
      send({ type: 'channel', to: String(channelId), topic }, text, dueAt),
    onSent({ channelId, topic }, id) {
      if (id !== null && readTopic !== undefined && !isSameTopic(topic, readTopic)) {
        const location = toLocation({ kind: 'topic', channelId, topic }, id)
        showToast(t('Sent to #{name} > {topic}.', { name: findChannel(channelId)?.name ?? '', topic }), {
          link: {
            text: t('View'),
            href: router.buildLocation(location).href,
            open: () => void router.navigate(location),
          },
        })
      }
      if (document.activeElement?.matches('body, .composer-send *')) form.current?.querySelector('textarea')?.focus()
    },
  })

  const typing = useTypingNotices()
  const isKnown = channel !== undefined && (topic.trim() !== '' || readTopic === '')

  function submit(dueAt: number | null) {
    const problem = messageTextError(text)
    const found: Errors = {
      ...(channel === undefined && { channel: t('You’re no longer subscribed to this channel.') }),
      ...(topic.trim() === '' && readTopic !== '' && { topic: t('Add a topic.') }),
      ...(problem !== null && { text: problem }),
    }
    setErrors(found)
    focusFirst(form.current, found)
    if (channel === undefined || Object.keys(found).length > 0) return
    const written = { channelId: channel.stream_id, topic: topic.trim(), text }
    write(written)
    typing.stop()
    sending.submit({ ...written, dueAt })
  }

  return (
    <ComposerFrame
      form={form}
      label={channel === undefined ? t('Message') : t('Message {name}', { name: channel.name })}
      text={text}
      onText={(text) => {
        write({ text })
        typing.type(
          isKnown && text.trim() !== '' ? { type: 'channel', stream_id: chosenId, topic: topic.trim() } : null,
        )
      }}
      {...(readTopic !== undefined && { spot: { kind: 'topic', channelId: chosenId, topic: readTopic } })}
      errors={errors}
      sending={sending}
      onSubmit={submit}
    >
      <div className="composer-to">
        {(channels.length > 1 || channel === undefined) && (
          <SelectField
            label={t('Channel')}
            name="channel"
            value={channel?.stream_id ?? null}
            error={errors.channel ?? null}
            onChange={(channelId) => {
              write({ channelId })
              setErrors(({ channel: _, ...others }) => others)
            }}
            options={channels.map(({ stream_id, name }) => ({ id: stream_id, label: name }))}
          />
        )}
        <TextField
          label={t('Topic')}
          name="topic"
          value={topic}
          error={errors.topic ?? null}
          maxLength={60}
          onChange={(topic) => write({ topic })}
        />
      </div>
    </ComposerFrame>
  )
}
