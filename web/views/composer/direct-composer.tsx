import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { useWishes, withWish } from '../../store/composing.ts'
import { toPeople } from '../../store/narrow.ts'
import { useOrganization } from '../../store/organization.ts'
import { useConversationName } from '../../store/people.ts'
import { focusFirst } from '../../ui/error-summary.tsx'
import { ComposerFrame } from './composer-frame.tsx'
import { readDraft, saveDraft } from './drafts.ts'
import { problemOf, restOf } from './message-text.ts'

/** Writes a message to people. What is typed is kept on this device until it is sent. */
export function DirectComposer({ people }: { people: readonly number[] }): ReactNode {
  const { user_id } = useOrganization()
  const nameOf = useConversationName()
  const place = `${user_id}.dm.${people}`
  const [text, setText] = useState(() => readDraft(place).text ?? '')
  const [problem, setProblem] = useState<string | null>(null)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => saveDraft(place, { text }), [place, text])

  useWishes(({ place, text: wished }) => {
    if (!('people' in place) || String(toPeople(place.people, user_id)) !== String(people)) return false
    setText(withWish(text, wished))
    form.current?.querySelector('textarea')?.focus()
    return true
  })

  const { mutate, isPending, error } = useMutation({
    mutationFn: (sent: string) =>
      call('POST /messages', { type: 'direct', to: JSON.stringify(people), content: sent, read_by_sender: true }),
    onSuccess: (_, sent) => setText((text) => restOf(text, sent)),
  })

  function submit() {
    const found = problemOf(text)
    setProblem(found)
    if (found === null) mutate(text)
    else focusFirst(form.current, { text: found })
  }

  return (
    <ComposerFrame
      form={form}
      label={`Message to ${nameOf(people)}`}
      text={text}
      onText={setText}
      errors={problem === null ? {} : { text: problem }}
      failure={error}
      isPending={isPending}
      onSubmit={submit}
    />
  )
}
