import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import { call } from '../../api/call.ts'
import { consumeEditSelection } from '../../browser/compose-requests.ts'
import { takeHeldTyping } from '../../browser/typed-ahead.ts'
import type { Destination } from '../../composer/destination.ts'
import { MessageEditor } from '../../composer/message-editor.tsx'
import { cancelUploads, type UploadTarget } from '../../composer/uploads.ts'
import { useTypingNotices } from '../../composer/use-typing-notices.ts'
import { useUploads } from '../../composer/use-uploads.ts'
import { onMessagesDeleted } from '../../messages/message-announcements.ts'
import { messageSource } from '../../messages/message-source.ts'
import { conversationOf } from '../../messages/narrow.ts'
import { editableUntil } from '../../messages/rights.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { changeStored, useStoredState } from '../../store/stored-state.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { useMinute } from '../../ui/moments.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import { editName } from '../unsaved-edit.tsx'
import * as css from './edit-form.module.css'
import type { PartProps } from './part.ts'

/** The form that replaces a message while the user edits it. */
export function EditForm({ message, trigger, onClose }: PartProps): ReactNode {
  const { data, error, refetch } = useQuery(messageSource(message))
  const close = () => {
    onClose()
    trigger.current?.focus({ preventScroll: true })
  }
  if (error !== null)
    return (
      <div className={css.editForm}>
        <ErrorNotice
          title={t('Couldn’t open the message for editing')}
          error={toAppError(error)}
          onRetry={() => void refetch()}
        />
        <div>
          <Button onPress={close}>{t('Close')}</Button>
        </div>
      </div>
    )
  if (data === undefined) return <Loading label={t('Loading message')} lines={2} />
  return <LoadedForm message={message} source={data.raw_content} onClose={close} />
}

type Kept = {
  /** The edited text; null if nothing was edited. `basis` is the message's text when editing started. */
  text: string | null
  basis: string
}

function LoadedForm(props: { message: PartProps['message']; source: string; onClose: () => void }): ReactNode {
  const { message, source, onClose } = props
  const [kept, keep, forget] = useStoredState<Kept>(editName(message.id), () => ({ text: null, basis: source }))
  const form = useRef<HTMLFormElement>(null)
  const text = kept.text ?? source
  const field = useRef<HTMLTextAreaElement>(null)
  const hintId = useId()
  const { user_settings, user_id: ownId } = useOrganization('user_settings', 'user_id')
  const sendsByEnter = user_settings.enter_sends
  const typing = useTypingNotices()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('PATCH /messages/{message_id}', { message_id: message.id, content: text }),
    onSuccess: end,
    onError: () => field.current?.focus(),
  })
  useInitialFocus(message.id, form, field)
  useDeletionToast(message.id, kept.text !== null)

  const uploadTarget = editTarget(message.id, ownId, source)

  function end() {
    forget()
    cancelUploads(uploadTarget.key)
    onClose()
  }

  function save(event?: FormEvent) {
    event?.preventDefault()
    if (isPending || uploads.isBusy) return
    if (text === source) end()
    else mutate()
  }

  function onKeyDown(event: KeyboardEvent) {
    const isSaved = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing
    if (event.key === 'Escape') onClose()
    else if (isSaved && (event.ctrlKey || event.metaKey || sendsByEnter)) save()
    else return
    event.preventDefault()
  }

  function write(text: string) {
    if (text === source) forget()
    else keep({ text, basis: kept.text === null ? source : kept.basis })
    typing.type({ type: 'edit', message_id: message.id, isDirect: message.type === 'private' })
  }

  const uploads = useUploads(uploadTarget, text, write)
  return (
    <form ref={form} className={css.editForm} aria-label={t('Edit message')} noValidate onSubmit={save}>
      {kept.text !== null && kept.basis !== source && (
        <Notice kind="warn">
          <p>{t('This message was edited after you started editing. Saving replaces the newer version.')}</p>
        </Notice>
      )}
      <div className={css.editBox} data-suggestions>
        <MessageEditor
          field={field}
          label={t('Message')}
          text={text}
          onText={write}
          error={error === null ? null : toAppError(error).message}
          describedBy={hintId}
          destination={toDestination(message, ownId)}
          uploads={uploads}
          onKeyDown={onKeyDown}
        >
          <span className={css.editFormEnd}>
            <Button onPress={end}>{t('Cancel')}</Button>
            <Button type="submit" kind="primary" isPending={isPending} isDisabled={uploads.isBusy}>
              {t('Save')}
            </Button>
          </span>
        </MessageEditor>
      </div>
      <p id={hintId} className="soft small">
        <EditHint message={message} isEmpty={text.trim() === ''} />
      </p>
    </form>
  )
}

/** Says that the message was deleted, unless there are changes, which become a draft. */
function useDeletionToast(messageId: number, isChanged: boolean): void {
  useEffect(
    () =>
      onMessagesDeleted((ids) => {
        if (ids.has(messageId) && !isChanged) showToast(t('The message you were editing was deleted.'))
      }),
    [messageId, isChanged],
  )
}

/** Returns the edited text as the target of uploads, which continue after the form is closed. */
const editTarget = (messageId: number, ownId: number, source: string): UploadTarget => ({
  key: editName(messageId),
  store: (change) =>
    changeStored<Kept>(ownId, editName(messageId), { text: null, basis: source }, ({ text, basis }) => ({
      text: change(text ?? source),
      basis,
    })),
})

/** Puts the cursor where it was on the last page, or else at the end of the text, and scrolls the form into view. */
function useInitialFocus(
  messageId: number,
  form: RefObject<HTMLFormElement | null>,
  field: RefObject<HTMLTextAreaElement | null>,
) {
  useEffect(() => {
    const area = field.current
    if (area === null) return
    const selection = consumeEditSelection(messageId)
    area.focus()
    area.setSelectionRange(...(selection ?? [area.value.length, area.value.length]))
    form.current?.scrollIntoView({ block: 'nearest' })
    const typed = selection === null ? '' : takeHeldTyping()
    if (typed !== '') document.execCommand('insertText', false, typed)
  }, [messageId, form, field])
}

function toDestination(message: PartProps['message'], ownId: number): Destination {
  const conversation = conversationOf(message, ownId)
  return conversation.kind === 'direct' ? conversation : { ...conversation, kind: 'channel' }
}

/** The hint below the edit form. */
function EditHint({ message, isEmpty }: { message: PartProps['message']; isEmpty: boolean }): ReactNode {
  const organization = useOrganization()
  const until = editableUntil(organization, message)
  // The time is removed when it is over.
  useMinute()
  if (isEmpty) return t('An empty message is shown as “(deleted)”.')
  const keys = organization.user_settings.enter_sends ? t('Enter') : t('Ctrl+Enter')
  return typeof until === 'number' && until > Date.now() / 1000
    ? rich('{keys} saves. Escape closes and keeps your changes. You can edit until {time}.', {
        keys,
        time: <Time at={until} as="clock" />,
      })
    : t('{keys} saves. Escape closes and keeps your changes.', { keys })
}
