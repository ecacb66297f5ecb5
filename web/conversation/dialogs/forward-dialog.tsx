import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { messageTextError, topicError } from '../../composer/errors.ts'
import { RenderedContent } from '../../message-view/rendered-content.tsx'
import { quoteOf } from '../../messages/links.ts'
import { messageSource } from '../../messages/message-source.ts'
import { Everyone } from '../../picking/everyone.tsx'
import { toAppError } from '../../store/app-error.ts'
import { type Organization, useOrganization } from '../../store/organization.ts'
import { distinctName, messageablePeople } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { ComboField } from '../../ui/combo-field.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { type FieldErrors, focusFirst } from '../../ui/error-summary.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { showToast } from '../../ui/toasts.ts'
import type { PartProps } from './part.ts'
import * as css from './parts.module.css'

/** Forwards a message to a channel or a user. */
export function ForwardDialog({ message, onClose }: PartProps): ReactNode {
  const { data, error, refetch } = useQuery(messageSource(message))
  return (
    <Dialog title={t('Forward')} isOpen onClose={onClose} ignoresClicksOutside>
      {data !== undefined ? (
        <Everyone>
          <ForwardForm message={message} source={data.raw_content} onClose={onClose} />
        </Everyone>
      ) : (
        <div className="dialog-body">
          {error === null ? (
            <Loading label={t('Loading message')} />
          ) : (
            <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
          )}
        </div>
      )}
    </Dialog>
  )
}

function ForwardForm(props: { message: PartProps['message']; source: string; onClose: () => void }): ReactNode {
  const { message, source, onClose } = props
  const organization = useOrganization()
  const { realm_url, realm_mandatory_topics, user_id } = organization
  const destinations = destinationsFor(organization)
  const [id, choose] = useState<string | null>(null)
  const [topic, setTopic] = useState(message.stream_id === undefined ? '' : message.subject)
  const [query, setWords] = useState('')
  const [errors, setErrors] = useState<FieldErrors>({})
  const form = useRef<HTMLFormElement>(null)
  const chosen = destinations.find((one) => one.id === id)
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ to, text }: { to: Destination; text: string }) =>
      call('POST /messages', {
        ...(to.channelId === undefined
          ? { type: 'direct', to: JSON.stringify([to.personId]) }
          : { type: 'channel', to: String(to.channelId), topic: topic.trim() }),
        content: text,
        read_by_sender: true,
      }),
    onSuccess(_, { to }) {
      showToast(t('Forwarded to {label}', { label: to.label }))
      onClose()
    },
  })

  function submit() {
    const quote = quoteOf(message, source, realm_url, user_id)
    const text = query.trim() === '' ? quote : `${query.trim()}\n\n${quote}`
    const found: FieldErrors = {
      to: chosen === undefined ? t('Choose a channel or a person.') : undefined,
      topic: (chosen?.channelId !== undefined && topicError(topic, realm_mandatory_topics)) || undefined,
      words: messageTextError(text) ?? undefined,
    }
    setErrors(found)
    focusFirst(form.current, found)
    if (chosen !== undefined && Object.values(found).every((one) => one === undefined)) mutate({ to: chosen, text })
  }

  return (
    <DialogForm ref={form} action={t('Forward')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
      {error !== null && <ErrorNotice title={t('Couldn’t forward the message')} error={toAppError(error)} />}
      <ComboField
        label={t('To')}
        name="to"
        value={id}
        error={errors['to'] ?? null}
        options={destinations}
        placeholder={t('Channel or person')}
        onChoose={choose}
      />
      {chosen?.channelId !== undefined && (
        <TextField
          label={t('Topic')}
          name="topic"
          maxLength={organization.max_topic_length}
          value={topic}
          error={errors['topic'] ?? null}
          description={realm_mandatory_topics ? undefined : t('Leave empty for general chat')}
          onChange={setTopic}
        />
      )}
      <TextField
        label={t('Add a message')}
        name="words"
        rows={2}
        value={query}
        error={errors['words'] ?? null}
        description={t('Optional. It appears above the forwarded message.')}
        onChange={setWords}
      />
      <div className={css.partMessage}>
        <RenderedContent html={message.content} />
      </div>
    </DialogForm>
  )
}

type Destination = { id: string; label: string; channelId?: number; personId?: number }

/** Returns the subscribed channels, then the users. */
function destinationsFor(organization: Organization): Destination[] {
  const channels = organization.subscriptions
    .filter(({ is_archived }) => !is_archived)
    .map(({ stream_id, name }) => ({ id: `channel ${stream_id}`, label: `#${name}`, channelId: stream_id }))
    .sort((one, other) => one.label.localeCompare(other.label))
  const people = messageablePeople(organization).map((person) => ({
    id: `person ${person.user_id}`,
    label: distinctName(person, organization.realm_users),
    personId: person.user_id,
  }))
  return [...channels, ...people]
}
