import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { isSameTopic } from '../../../store/messages/narrow.ts'
import type { Subscription } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { focusFirst } from '../../../ui/fields/error-summary.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { type NarrowSearch, toLocation } from '../to-location.ts'
import { deleteInParts } from './delete-in-parts.ts'
import { withResolved } from './resolved.ts'

/** Asks before a whole topic is deleted for everybody, and says how far that is; whoever closes it stops the deleting. */
export function DeleteTopicDialog(props: { channel: Subscription; topic: string; onClose: () => void }): ReactNode {
  const { channel, topic, onClose } = props
  const router = useRouter()
  const form = useRef<HTMLFormElement>(null)
  const [end] = useState(() => new AbortController())
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [part, setPart] = useState(1)
  // The sign of a resolved topic is on no keyboard.
  const name = withResolved(topic, false) || 'general chat'

  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      deleteInParts({
        deletePart: () =>
          call('POST /streams/{stream_id}/delete_topic', { stream_id: channel.stream_id, topic_name: topic }),
        onMore: () => setPart((before) => before + 1),
        signal: end.signal,
      }),
    onSuccess(isComplete) {
      showToast(
        isComplete
          ? t('The topic {name} is deleted', { name })
          : t('The deleting of {name} was stopped. Some of it is left.', { name }),
      )
      onClose()
      if (isComplete && isShown()) void router.navigate(toLocation({ kind: 'channel', channelId: channel.stream_id }))
    },
    onError(failure) {
      if (end.signal.aborted)
        showToast(t('Not all of {name} was deleted. {message}', { name, message: toAppError(failure).message }), {
          kind: 'error',
        })
    },
  })

  function isShown(): boolean {
    const { pathname, search } = router.state.location
    return pathname === `/channels/${channel.stream_id}` && isSameTopic((search as NarrowSearch).topic ?? '', topic)
  }

  function submit() {
    const matches = isSameTopic(typed.trim(), name)
    setProblem(matches ? null : t('That is not its name.'))
    if (matches) mutate()
    else focusFirst(form.current, { name: t('That is not its name.') })
  }

  function close() {
    end.abort()
    onClose()
  }

  return (
    <Dialog title={t('Delete the topic {name}?', { name })} role="alertdialog" isOpen onClose={close}>
      <DialogForm
        ref={form}
        action={t('Delete for everybody')}
        isDanger
        isPending={isPending}
        onSubmit={submit}
        onCancel={close}
      >
        {error !== null && (
          <ErrorNotice
            title={part === 1 ? t('The topic was not deleted') : t('A part of the topic was not deleted')}
            trouble={toAppError(error)}
          />
        )}
        <p>
          {t(
            'All its messages in {name} are gone for everybody, with their reactions and their history. This cannot be taken back.',
            { name: channel.name },
          )}
        </p>
        <TextField
          name="name"
          label={t('Type “{name}” to delete it', { name })}
          autoComplete="off"
          autoFocus
          value={typed}
          error={problem}
          isDisabled={isPending}
          onChange={(value) => {
            setTyped(value)
            setProblem(null)
          }}
        />
        <p role="status">
          {isPending &&
            (part === 1
              ? t('Deleting …')
              : t('Deleting … The topic is long, this is part {part}. Cancel stops it, but brings nothing back.', {
                  part,
                }))}
        </p>
      </DialogForm>
    </Dialog>
  )
}
