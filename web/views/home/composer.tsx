import { useMutation } from '@tanstack/react-query'
import SendHorizontal from 'lucide-react/icons/send-horizontal'
import { type FormEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Subscription } from '../../store/organization.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { ErrorSummary, focusFirst } from '../../ui/error-summary.tsx'
import { TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import './composer.css'
import { forgetDraft, readDraft, saveDraft } from './drafts.ts'

/** The longest message, in characters; what is longer the server would cut. */
const MAX_LENGTH = 10_000

type Errors = { topic?: string; text?: string }

/** Writes a message to one of the channels. What is typed is kept on this device until it is sent. */
export function Composer(props: { channels: readonly Subscription[]; suggestedTopic?: string }): ReactNode {
  const { channels, suggestedTopic = '' } = props
  const [channelId, setChannelId] = useState(channels[0]!.stream_id)
  const channel = channels.find(({ stream_id }) => stream_id === channelId) ?? channels[0]!
  const place = channels.length === 1 ? String(channel.stream_id) : 'any'
  const draft = readDraft(place)
  const [topic, setTopic] = useState<string | null>(draft.topic ?? null)
  const [text, setText] = useState(draft.text ?? '')
  const [errors, setErrors] = useState<Errors>({})
  const form = useRef<HTMLFormElement>(null)
  const shownTopic = topic ?? suggestedTopic

  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call('POST /messages', {
        type: 'channel',
        to: String(channel.stream_id),
        topic: shownTopic.trim(),
        content: text,
      }),
    onSuccess() {
      setText('')
      forgetDraft(place)
      form.current?.querySelector('textarea')?.focus()
    },
  })

  function submit(event?: FormEvent) {
    event?.preventDefault()
    if (isPending) return
    const found: Errors = {}
    if (shownTopic.trim() === '') found.topic = 'Say what it is about.'
    if (text.trim() === '') found.text = 'Write something first.'
    if (text.length > MAX_LENGTH) found.text = `That is too long: ${text.length} of ${MAX_LENGTH} characters.`
    setErrors(found)
    focusFirst(form.current, found)
    if (Object.keys(found).length === 0) mutate()
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
            value={channelId}
            onChange={setChannelId}
            options={channels.map(({ stream_id, name }) => ({ id: stream_id, label: name }))}
          />
        )}
        <TextField
          label="Topic"
          name="topic"
          value={shownTopic}
          error={errors.topic ?? null}
          maxLength={60}
          onChange={(value) => {
            setTopic(value)
            saveDraft(place, { topic: value, text })
          }}
        />
      </div>
      <TextField
        label={`Message to ${channel.name}`}
        name="text"
        rows={2}
        value={text}
        error={errors.text ?? null}
        onKeyDown={sendByKey}
        onChange={(value) => {
          setText(value)
          saveDraft(place, { topic: shownTopic, text: value })
        }}
      />
      <div className="composer-send">
        <span className="soft small">
          {text.length > MAX_LENGTH * 0.8 ? `${text.length} of ${MAX_LENGTH} characters` : 'Ctrl+Enter sends'}
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
