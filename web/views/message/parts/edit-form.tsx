import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { useStoredState } from '../../../store/browser/stored-state.ts'
import { useOrganization } from '../../../store/organization.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { Notice } from '../../../ui/feedback/notice.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { Time } from '../../../ui/text/time.tsx'
import { formatByKey } from '../../composer/editor/format-by-key.ts'
import { useTypingNotices } from '../../composer/typing/use-typing-notices.ts'
import './edit-form.css'
import { rich } from '../../../text/rich.ts'
import { t } from '../../../text/t.ts'
import { editableUntil } from '../rights.ts'
import { messageSource } from './message-source.ts'
import type { PartProps } from './part.ts'

/** The form that edits a message in its place. */
export function EditForm({ message, trigger, onClose }: PartProps): ReactNode {
  const { data, error, refetch } = useQuery(messageSource(message))
  const close = () => {
    onClose()
    trigger.current?.focus({ preventScroll: true })
  }
  if (error !== null)
    return (
      <div className="edit-form">
        <ErrorNotice
          title={t('Couldn’t open the message for editing')}
          trouble={toAppError(error)}
          onRetry={() => void refetch()}
        />
        <div>
          <Button onPress={close}>{t('Close')}</Button>
        </div>
      </div>
    )
  if (data === undefined) return <Loading label={t('Loading message')} lines={2} />
  return <LoadedForm message={message} said={data.raw_content} onClose={close} />
}

type Kept = {
  /** The edited text, and the message's text when editing started; null if nothing was edited. */
  text: string | null
  basis: string
}

function LoadedForm(props: { message: PartProps['message']; said: string; onClose: () => void }): ReactNode {
  const { message, said: answer, onClose } = props
  const [kept, keep, forget] = useStoredState<Kept>(`edit.${message.id}`, () => ({ text: null, basis: answer }))
  const form = useRef<HTMLFormElement>(null)
  const text = kept.text ?? answer
  const typing = useTypingNotices()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('PATCH /messages/{message_id}', { message_id: message.id, content: text }),
    onSuccess: end,
    onError: () => form.current?.querySelector('textarea')?.focus(),
  })
  useEffect(() => {
    const field = form.current?.querySelector('textarea')
    field?.focus()
    field?.setSelectionRange(field.value.length, field.value.length)
    form.current?.scrollIntoView({ block: 'nearest' })
  }, [])

  function end() {
    forget()
    onClose()
  }

  function save(event?: FormEvent) {
    event?.preventDefault()
    if (isPending) return
    if (text === answer) end()
    else mutate()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (formatByKey(event)) return
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
    else return
    event.preventDefault()
  }

  return (
    <form ref={form} className="edit-form" aria-label={t('Edit message')} noValidate onSubmit={save}>
      {kept.text !== null && kept.basis !== answer && (
        <Notice kind="warn">
          <p>{t('This message was edited after you started. Saving replaces the newer version.')}</p>
        </Notice>
      )}
      <TextField
        label={t('Message')}
        name="text"
        rows={2}
        value={text}
        error={error === null ? null : toAppError(error).message}
        description={<EditHint message={message} isEmpty={text.trim() === ''} />}
        onKeyDown={onKeyDown}
        onChange={(text) => {
          keep({ text, basis: kept.text === null ? answer : kept.basis })
          typing.type({ type: 'edit', message_id: message.id, isDirect: message.type === 'private' })
        }}
      />
      <div className="edit-form-end">
        <Button type="submit" kind="primary" isPending={isPending}>
          {t('Save')}
        </Button>
        <Button onPress={end}>{t('Cancel')}</Button>
      </div>
    </form>
  )
}

/** The hint below the edit form. */
function EditHint({ message, isEmpty }: { message: PartProps['message']; isEmpty: boolean }): ReactNode {
  const until = editableUntil(useOrganization(), message)
  if (isEmpty) return t('An empty message is shown as “(deleted)”.')
  return typeof until === 'number'
    ? rich('Ctrl+Enter saves. Escape closes and keeps your changes. You can edit until {time}.', {
        time: <Time at={until} as="clock" />,
      })
    : t('Ctrl+Enter saves. Escape closes and keeps your changes.')
}
