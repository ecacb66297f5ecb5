import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { isSameTopic, topicTitle } from '../../messages/narrow.ts'
import { type NarrowSearch, toLocation } from '../../navigation/narrow-location.ts'
import { toAppError } from '../../store/app-error.ts'
import type { Subscription } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { focusFirst } from '../../ui/error-summary.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toasts.ts'
import { deleteInParts } from '../topic-choices.ts'

/** Asks before a topic is deleted, and shows the progress. Closing the dialog stops the deletion. */
export function DeleteTopicDialog(props: { channel: Subscription; topic: string; onClose: () => void }): ReactNode {
  const { channel, topic, onClose } = props
  const form = useRef<HTMLFormElement>(null)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  // The user types the name without the check mark of resolved topics, because keyboards have no key for it.
  const name = topicTitle(topic)

  const { mutate, isPending, error, part, cancel } = useTopicDeletion({ channel, topic, name, onClose })

  function submit() {
    const matches = isSameTopic(typed.trim(), name)
    setProblem(matches ? null : t('The name doesn’t match.'))
    if (matches) mutate()
    else focusFirst(form.current, { name: t('The name doesn’t match.') })
  }

  function close() {
    cancel()
    onClose()
  }

  return (
    <Dialog title={t('Delete topic {name}?', { name })} role="alertdialog" isOpen onClose={close}>
      <DialogForm
        ref={form}
        action={t('Delete topic')}
        isDanger
        isPending={isPending}
        onSubmit={submit}
        onCancel={close}
      >
        {error !== null && (
          <ErrorNotice
            title={part === 1 ? t('Couldn’t delete the topic') : t('Couldn’t delete the whole topic')}
            error={toAppError(error)}
          />
        )}
        <p>
          {t(
            'All its messages in #{name} are permanently deleted for everyone, with their reactions and edit history. You can’t undo this.',
            { name: channel.name },
          )}
        </p>
        <TextField
          name="name"
          label={t('Type “{name}” to confirm', { name })}
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
              ? t('Deleting…')
              : t(
                  'Deleting… This is a long topic (part {part}). Canceling stops the deletion, but doesn’t restore deleted messages.',
                  {
                    part,
                  },
                ))}
        </p>
      </DialogForm>
    </Dialog>
  )
}

/** Deletes a topic part by part. `part` counts from 1. After `cancel`, the current part is the last one. */
function useTopicDeletion(props: { channel: Subscription; topic: string; name: string; onClose: () => void }) {
  const { channel, topic, name, onClose } = props
  const router = useRouter()
  const [controller] = useState(() => new AbortController())
  const [part, setPart] = useState(1)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      deleteInParts({
        deletePart: () =>
          call('POST /streams/{stream_id}/delete_topic', { stream_id: channel.stream_id, topic_name: topic }),
        onMore: () => setPart((before) => before + 1),
        signal: controller.signal,
      }),
    onSuccess(isComplete) {
      showToast(
        isComplete
          ? t('Topic {name} deleted', { name })
          : t('Stopped deleting {name}. Some messages are left.', { name }),
      )
      onClose()
      if (isComplete && isShown()) void router.navigate(toLocation({ kind: 'channel', channelId: channel.stream_id }))
    },
    onError(failure) {
      if (controller.signal.aborted)
        showToast(t('Couldn’t delete all of {name}. {message}', { name, message: toAppError(failure).message }), {
          kind: 'error',
        })
    },
  })

  function isShown(): boolean {
    const { pathname, search } = router.state.location
    return pathname === `/channels/${channel.stream_id}` && isSameTopic((search as NarrowSearch).topic ?? '', topic)
  }

  return { mutate, isPending, error, part, cancel: () => controller.abort() }
}
