import { useMutation } from '@tanstack/react-query'
import SendHorizontal from 'lucide-react/icons/send-horizontal'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { useWishes, withWish } from '../../store/composing.ts'
import { type Subscription, useOrganization } from '../../store/organization.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { ErrorSummary, focusFirst } from '../../ui/error-summary.tsx'
import { TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import './composer.css'
import { type Draft, readDraft, saveDraft } from './drafts.ts'

/** The longest message, in characters; what is longer the server would cut. */
const MAX_LENGTH = 10_000

type Errors = { channel?: string; topic?: string; text?: string }

type Written = Required<Draft>

/**
 * Writes a message to one of the channels. What is typed is kept on this device until it is sent, and goes where it was
 * meant to go when it was begun: whatever arrives meanwhile changes neither its topic nor its channel.
 */
export function Composer(props: { channels: readonly Subscription[]; suggestedTopic?: string }): ReactNode {
  const { channels, suggestedTopic = '' } = props
  const { user_id } = useOrganization()
  const place = `${user_id}.${channels.length === 1 ? channels[0]!.stream_id : 'any'}`
  const [draft, setDraft] = useState(() => readDraft(place))
  const [errors, setErrors] = useState<Errors>({})
  const form = useRef<HTMLFormElement>(null)
  const { text = '', topic = suggestedTopic } = draft
  const chosenId = draft.channelId ?? channels[0]!.stream_id
  const channel = channels.find(({ stream_id }) => stream_id === chosenId) ?? (text === '' ? channels[0] : undefined)
  const length = lengthOf(text)

  const write = (change: Draft) => setDraft({ channelId: channel?.stream_id ?? chosenId, topic, text, ...change })
  useEffect(() => saveDraft(place, draft), [place, draft])
  useWishes(({ place, text: wished }) => {
    if (!('channelId' in place) || !channels.some(({ stream_id }) => stream_id === place.channelId)) return false
    write({ text: withWish(text, wished), ...(text.trim() === '' && place) })
    form.current?.querySelector('textarea')?.focus()
    return true
  })

  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ channelId, topic, text }: Written) =>
      call('POST /messages', { type: 'channel', to: String(channelId), topic, content: text }),
    onSuccess(_, sent) {
      setDraft(({ text = '', ...where }) => ({ ...where, text: restOf(text, sent.text) }))
      if (document.activeElement?.matches('body, [type="submit"]')) form.current?.querySelector('textarea')?.focus()
    },
  })

  function submit(event?: FormEvent) {
    event?.preventDefault()
    if (isPending) return
    const found: Errors = {
      ...(channel === undefined && { channel: 'You are not in the channel any more that this was meant for.' }),
      ...(topic.trim() === '' && { topic: 'Say what it is about.' }),
      ...(text.trim() === '' && { text: 'Write something first.' }),
      ...(length > MAX_LENGTH && { text: `That is too long: ${length} of ${MAX_LENGTH} characters.` }),
    }
    setErrors(found)
    focusFirst(form.current, found)
    if (channel === undefined || Object.keys(found).length > 0) return
    const written = { channelId: channel.stream_id, topic: topic.trim(), text }
    write(written)
    mutate(written)
  }

  function sendByKey(event: KeyboardEvent) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
  }

  return (
    <form ref={form} className="composer card" aria-label="New message" noValidate onSubmit={submit} data-pane>
      {error !== null && <ErrorNotice title="The message was not sent" trouble={toTrouble(error)} />}
      <ErrorSummary errors={errors} />
      <div className="composer-to">
        {channels.length > 1 && (
          <SelectField
            label="Channel"
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
          label="Topic"
          name="topic"
          value={topic}
          error={errors.topic ?? null}
          maxLength={60}
          onChange={(topic) => write({ topic })}
        />
      </div>
      <TextField
        label={channel === undefined ? 'Message' : `Message to ${channel.name}`}
        name="text"
        rows={2}
        value={text}
        error={errors.text ?? null}
        onKeyDown={sendByKey}
        onChange={(text) => write({ text })}
      />
      <div className="composer-send">
        <span className="soft small">
          {length > MAX_LENGTH * 0.8 ? `${length} of ${MAX_LENGTH} characters` : 'Ctrl+Enter sends'}
        </span>
        <Button
          type="submit"
          kind="primary"
          isPending={isPending}
          icon={<SendHorizontal className="icon" aria-hidden="true" />}
        >
          Send
        </Button>
      </div>
    </form>
  )
}

/** As the server counts: what stands outside the first 65,536 characters of Unicode is one, too. */
const lengthOf = (text: string) => (text.length > MAX_LENGTH * 0.8 ? Array.from(text).length : text.length)

/** What was typed on while the message was under way. */
const restOf = (text: string, sent: string) => (text.startsWith(sent) ? text.slice(sent.length).trimStart() : text)
