import { useMutation } from '@tanstack/react-query'
import { emitSent } from '../../store/drafts/drafts.ts'

/** Schedules messages of a compose box. The text stays in it until the server has confirmed it, or if it fails. */
export function useScheduling<Message extends { text: string; dueAt: number }>(props: {
  draftKey: string
  schedule: (message: Message) => Promise<void>
  onScheduled?: () => void
}): { submit: (message: Message) => void; isPending: boolean; error: unknown } {
  const { draftKey, schedule, onScheduled } = props
  const { mutate, isPending, error } = useMutation({
    mutationFn: schedule,
    onSuccess(_, { text }) {
      emitSent(draftKey, text)
      onScheduled?.()
    },
  })
  return { submit: mutate, isPending, error }
}
