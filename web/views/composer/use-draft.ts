import { useCallback, useEffect, useState } from 'react'
import {
  type Draft,
  onDraftReplaced,
  onSent,
  readDraft,
  saveDraft,
  textAfterSending,
} from '../../store/drafts/drafts.ts'
import { useOrganization } from '../../store/organization.ts'
import { type ComposerPage, type Destination, draftKeyOf } from './destination.ts'

type ComposerDraft = {
  readonly key: string
  readonly draft: Draft
  /** Changes the text, and keeps the current recipients. */
  write: (change: Draft) => void
  /** Changes the text, and sets the recipients. */
  change: (destination: Destination, change: Draft) => void
}

/** Returns the draft of a compose box. Every change of the draft is saved. */
export function useDraft(page: ComposerPage): ComposerDraft {
  const { user_id } = useOrganization()
  const key = draftKeyOf(page, user_id)
  const [draft, setDraft] = useState(() => readDraft(key))
  useEffect(() => saveDraft(key, draft), [key, draft])
  useEffect(() => onDraftReplaced((replaced) => replaced === key && setDraft(readDraft(key))), [key])

  const isConversation = page.kind === 'topic' || page.kind === 'direct'
  const changeText = useCallback(
    (rest: (text: string) => string) =>
      setDraft(({ text = '', ...where }) => {
        const left = rest(text)
        // The next message goes to the current conversation, even if the last message went to another one.
        return left === '' && isConversation ? {} : { ...where, text: left }
      }),
    [isConversation],
  )
  // Another composer of the same conversation may have sent the text.
  useEffect(
    () => onSent((sentKey, sent) => sentKey === key && changeText((text) => textAfterSending(text, sent))),
    [key, changeText],
  )

  return {
    key,
    draft,
    write: (change) => setDraft((known) => ({ ...knownRecipients(page), ...known, ...change })),
    change: (destination, change) =>
      setDraft({ ...(page.kind === 'direct' ? {} : recipientsOf(destination)), ...change }),
  }
}

/**
 * Returns the recipients of the page as far as they are known. A draft stores them, so that they stay the same when
 * those of the page change.
 */
function knownRecipients(page: ComposerPage): Draft {
  if (page.kind === 'direct' || page.kind === 'any') return {}
  const topic = page.kind === 'topic' ? page.topic : page.suggestedTopic
  return { channelId: page.channelId, ...(topic !== undefined && { topic }) }
}

function recipientsOf(destination: Destination): Draft {
  if (destination.kind === 'direct') return { people: destination.people }
  const { channelId, topic } = destination
  return { ...(channelId !== null && { channelId }), topic }
}
