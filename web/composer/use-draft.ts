import { createAtom } from '@tanstack/react-store'
import { useCallback, useEffect, useRef, useState } from 'react'
import { withRequestedText } from '../browser/compose-requests.ts'
import {
  type Draft,
  onDraftRekeyed,
  onDraftReplaced,
  onSent,
  readDraft,
  saveDraft,
  textAfterSending,
  topicDraftKey,
} from '../messages/drafts.ts'
import { newestDraftKey, showDraft } from '../messages/further-drafts.ts'
import { holdTopicDraft } from '../messages/moved-drafts.ts'
import type { ConversationRef } from '../messages/narrow.ts'
import { useOrganization } from '../store/organization.ts'
import {
  type ComposerPage,
  conversationOfDestination,
  type Destination,
  destinationOf,
  draftKeyOf,
  isPageOf,
  recipientsOfPage,
} from './destination.ts'
import { moveUploads, type UploadTarget } from './uploads.ts'

type ComposerDraft = {
  readonly key: string
  readonly draft: Draft
  /** Changes the text, and keeps the current recipients. */
  write: (change: Draft) => void
  /** Changes the text, and sets the recipients. */
  change: (destination: Destination, change: Draft) => void
  /** Changes the name of a recipient that is not chosen yet; null for none. */
  writeName: (name: string | null) => void
  /** Lets the recipients of the page apply again if nothing is written. */
  reset: () => void
  /** The draft as the target of uploads, which continue after the compose box is closed. */
  readonly uploadTarget: UploadTarget
}

/** Returns the draft of a compose box. Every change of the draft is saved. */
export function useDraft(page: ComposerPage): ComposerDraft {
  const { user_id } = useOrganization('user_id')
  const key = draftKeyOf(page, user_id)
  const [source] = useState(() => newestDraftKey(user_id, key))
  const isSourceMoved = useRef(false)
  const [draft, setDraft] = useState(() => readDraft(source))
  const [before, setBefore] = useState(page)
  const savedKey = useRef(key)
  // The compose box of a topic follows when the topic is moved. Recipients that the user chose stay.
  if (
    before.kind === 'topic' &&
    page.kind === 'topic' &&
    (before.channelId !== page.channelId || before.topic !== page.topic)
  ) {
    setBefore(page)
    const target = conversationOfDestination(destinationOf(before, draft), user_id)
    if (target !== null && isPageOf(before, target))
      setDraft(({ text }) => (text ? { ...recipientsOfPage(page), text } : {}))
  }
  useEffect(() => {
    if (!isSourceMoved.current) {
      isSourceMoved.current = true
      // The draft of the feed that the user left may have been sent in the meantime.
      if (source !== key && !showDraft(user_id, source, key)) return setDraft(readDraft(key))
    }
    if (page.kind === 'topic' && savedKey.current !== key) saveDraft(savedKey.current, {})
    savedKey.current = key
    saveDraft(key, draft)
  }, [page.kind, key, draft, source, user_id])
  const isHeld = page.kind === 'topic' && Boolean(draft.text)
  useEffect(() => (isHeld ? holdTopicDraft(key) : undefined), [isHeld, key])
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
    // The draft stores the recipients, so that they stay the same when those of the page change.
    write: (change) =>
      setDraft((known) => ({ ...(hasRecipients(known) ? {} : fixedRecipients(page)), ...known, ...change })),
    change: (destination, change) =>
      setDraft(({ name }) => ({ ...recipientsOf(destination, page), ...(name !== undefined && { name }), ...change })),
    writeName: (name) =>
      setDraft(({ name: _, ...known }) => ({
        ...(hasRecipients(known) ? {} : fixedRecipients(page)),
        ...known,
        ...(name !== null && { name }),
      })),
    reset: () => setDraft((known) => (known.text ? known : {})),
    uploadTarget: uploadTargetOf(key, { ...(hasRecipients(draft) ? {} : fixedRecipients(page)), ...draft }),
  }
}

/** Returns a stored draft as the target of uploads. If it has no recipients, it gets those of `first`. */
const uploadTargetOf = (key: string, { text: _, ...first }: Draft): UploadTarget => ({
  key,
  store(change) {
    const { text = '', ...where } = readDraft(key)
    saveDraft(key, { ...(hasRecipients(where) ? where : first), text: change(text) })
  },
})

onDraftRekeyed((from, to) => moveUploads(from, uploadTargetOf(to, {})))

/** Lets the uploads of a draft continue for the draft of another conversation. */
export const moveUploadsToDraft = (key: string, conversation: ConversationRef, ownId: number): void =>
  moveUploads(key, uploadTargetOf(draftKeyOf(conversation, ownId), fixedRecipients(conversation)))

/** Adds a text to the draft of its conversation. Returns false if this browser cannot store it. */
export function addToDraft(conversation: ConversationRef, text: string, ownId: number): boolean {
  const key = draftKeyOf(conversation, ownId)
  const known = readDraft(key)
  const draft = { ...recipientsOfPage(conversation), ...known, text: withRequestedText(known.text ?? '', text) }
  saveDraft(key, draft)
  return readDraft(key).text === draft.text
}

/**
 * Moves the newest draft of a conversation to another compose box. Returns its text; empty if there is no draft, or if
 * it has a name of a further recipient that is not finished.
 */
export function takeDraftOf(conversation: ConversationRef, key: string, ownId: number): string {
  const from = newestDraftKey(ownId, draftKeyOf(conversation, ownId))
  const { name, text = '' } = readDraft(from)
  return name === undefined && showDraft(ownId, from, key) ? text : ''
}

const hasRecipients = ({ channelId, people }: Draft) => channelId !== undefined || people !== undefined

/**
 * Returns the recipients of the page that may change. Those of a direct conversation never do. Until the messages of a
 * channel are loaded, messages go to general chat.
 */
function fixedRecipients(page: ComposerPage): Draft {
  if (page.kind === 'direct') return {}
  return page.kind === 'channel' ? { topic: '', ...recipientsOfPage(page) } : recipientsOfPage(page)
}

function recipientsOf(destination: Destination, page: ComposerPage): Draft {
  if (destination.kind === 'direct')
    return isPageOf(page, { kind: 'direct', people: destination.people }) ? {} : { people: destination.people }
  const { channelId, topic } = destination
  return { ...(channelId !== null && { channelId }), topic }
}

type Topic = { readonly channelId: number; readonly topic: string }

/** The names of compose boxes that moved with their topics, by topic. */
const names = createAtom<ReadonlyMap<string, string>>(new Map())
const moves = createAtom(0)

const keyOf = ({ channelId, topic }: Topic): string => topicDraftKey(0, channelId, topic)

/** Returns the name of the compose box of a topic, by which React recognizes it. */
export const composerOf = (topic: Topic): string => names.get().get(keyOf(topic)) ?? keyOf(topic)

/** Makes the compose box of a topic the one of another topic, with its text, cursor and focus. */
export function moveComposer(from: Topic, to: Topic): void {
  if (keyOf(from) === keyOf(to)) return
  moves.set((count) => count + 1)
  const changed = [[keyOf(to), composerOf(from)] as const, [keyOf(from), `${keyOf(from)} ${moves.get()}`] as const]
  names.set((known) => new Map([...known, ...changed]))
}
