import { type ReactNode, useEffect, useRef, useState } from 'react'
import { toParticipants } from '../../store/messages/narrow.ts'
import { useOrganization } from '../../store/organization.ts'
import { useComposeRequests, withRequestedText } from '../../store/page/compose-request.ts'
import { useConversationName } from '../../store/people/people.ts'
import { t } from '../../text/t.ts'
import { focusFirst } from '../../ui/fields/error-summary.tsx'
import { ComposerFrame } from './composer-frame.tsx'
import { readDraft, saveDraft } from './drafts.ts'
import { messageTextError } from './message-text.ts'
import { send } from './send.ts'
import { useSending } from './use-sending.ts'
import { useSentElsewhere } from './use-sent-elsewhere.ts'
import { useTypingNotices } from './use-typing-notices.ts'

/** The compose box for direct messages. The draft is kept in this browser until it is sent. */
export function DirectComposer({ people }: { people: readonly number[] }): ReactNode {
  const { user_id } = useOrganization()
  const nameOf = useConversationName()
  const target = `${user_id}.dm.${people}`
  const [text, setText] = useState(() => readDraft(target).text ?? '')
  const [problem, setProblem] = useState<string | null>(null)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => saveDraft(target, { text }), [target, text])
  useSentElsewhere(target, setText)

  useComposeRequests(({ conversation: place, text: wished }) => {
    if (!('people' in place) || String(toParticipants(place.people, user_id)) !== String(people)) return false
    setText(withRequestedText(text, wished))
    form.current?.querySelector('textarea')?.focus()
    return true
  })

  const sending = useSending({
    place: target,
    deliver: ({ text, dueAt }) => send({ type: 'direct', to: JSON.stringify(people) }, text, dueAt),
  })

  const typing = useTypingNotices()
  const isNotes = String(people) === String(user_id)

  function submit(dueAt: number | null) {
    const found = messageTextError(text)
    setProblem(found)
    if (found !== null) return focusFirst(form.current, { text: found })
    typing.stop()
    sending.submit({ text, dueAt })
  }

  return (
    <ComposerFrame
      form={form}
      label={t('Message {name}', { name: nameOf(people) })}
      text={text}
      onText={(text) => {
        setText(text)
        typing.type(isNotes || text.trim() === '' ? null : { type: 'direct', to: [...people] })
      }}
      spot={{ kind: 'direct', people }}
      errors={problem === null ? {} : { text: problem }}
      sending={sending}
      onSubmit={submit}
    />
  )
}
