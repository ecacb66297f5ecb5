import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import {
  type ComposeRequest,
  noteComposeFocus,
  requestComposeOnNextPage,
  useComposeRequests,
  useRequestedTopic,
  withRequestedText,
} from '../browser/compose-requests.ts'
import { takeHeldTyping } from '../browser/typed-ahead.ts'
import { saveDraft } from '../messages/drafts.ts'
import { setDraftAside } from '../messages/further-drafts.ts'
import type { ConversationRef } from '../messages/narrow.ts'
import { conversationKey } from '../messages/unread.ts'
import { toLocation } from '../navigation/narrow-location.ts'
import { currentOrganization, useOrganization, useOrganizationPart } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { lazyExtra, lazyPart } from '../ui/lazy-part.tsx'
import { showToast } from '../ui/toasts.ts'
import { joinAttachments, splitAttachments } from './attachments.ts'
import { ComposerFrame } from './box/composer-frame.tsx'
import { BlockedComposer, DraftConflict, HeldNote } from './box/notices.tsx'
import { focusRecipientField, RecipientLine } from './box/recipient-line.tsx'
import { takesRequest, toDestination, useAimedPage } from './box/use-shown-conversation.ts'
import { readWidgetText, type WidgetDraft, type WidgetKind } from './box/widget-text.ts'
import {
  type ComposerPage,
  conversationOfDestination,
  type Destination,
  destinationOf,
  isPageOf,
} from './destination.ts'
import { useDestinationName, useDestinationTitle } from './destination-name.ts'
import { editLastMessage } from './edit-last.ts'
import { type ComposerError, findError, findRecipientError, type TypedName } from './errors.ts'
import { postingProblem } from './posting-rights.ts'
import { useDelivery, useSubmission } from './sending/use-submission.tsx'
import { addToDraft, moveUploadsToDraft, takeDraftOf, useDraft } from './use-draft.ts'
import { useTypingNotices } from './use-typing-notices.ts'

const WidgetDialog = lazyPart(async () => (await import('./box/widget-dialog.tsx')).WidgetDialog)
const Warnings = lazyExtra(async () => (await import('./sending/warnings.tsx')).Warnings)

/**
 * The compose box of a page. This browser keeps the draft until it is sent. At rest, messages go to the conversation
 * that the user sees. From the moment that the box opens, the recipients change only if the user changes them, even if
 * new messages arrive in the meantime.
 */
export function Composer(props: { page: ComposerPage }): ReactNode {
  const { user_id: ownId, realm_mandatory_topics: needsTopic } = useOrganization('user_id', 'realm_mandatory_topics')
  const [isOpen, setOpen] = useState(false)
  /** The poll or to-do list that is being written. `isFromText` is true if it takes the place of the text. */
  const [widget, setWidget] = useState<{ kind: WidgetKind; draft: WidgetDraft; isFromText: boolean } | null>(null)
  /** The poll or to-do list whose dialog was closed last, and the text of the box at that time. */
  const unfinished = useRef<{ kind: WidgetKind; body: string; draft: WidgetDraft } | null>(null)
  const page = useAimedPage(props.page, isOpen || widget !== null)
  const { key, draft, change, write, writeName, reset, uploadTarget } = useDraft(page)
  const [error, setError] = useState<ComposerError | null>(null)
  const [isNameLeft, setNameLeft] = useState(true)
  const form = useRef<HTMLFormElement>(null)
  const nameOf = useDestinationName()
  const titleOf = useDestinationTitle()
  const router = useRouter()
  const typing = useTypingNotices()
  const destination = destinationOf(page, draft)
  const { text = '', name } = draft
  const typedName: TypedName | null =
    name === undefined || (isNameLeft && name.trim() === '') ? null : { text: name, isLeft: isNameLeft }
  const focusText = () => form.current?.querySelector('textarea')?.focus()
  const delivery = useDelivery({ key, form })
  const submission = useSubmission({
    destination,
    text,
    deliver(dueAt) {
      change(destination, { text })
      deliver(text, dueAt)
    },
    clear: () => change(destination, {}),
  })
  const target = conversationOfDestination(destination, ownId)
  const why = useOrganizationPart((organization) => postingProblem(organization, destination))
  const shownError = error ?? findRecipientError(destination, typedName)

  const startNew = useEffectEvent(() => {
    if (page.kind !== 'any' || !page.isNew) return
    focusRecipients(form.current)
    noteComposeFocus()
    insertHeldTyping()
  })
  useEffect(() => {
    startNew()
    return router.subscribe('onResolved', ({ pathChanged, toLocation }) => {
      if (!pathChanged && toLocation.pathname === '/dm') focusRecipients(form.current)
    })
  }, [router])

  function openWidget(kind: WidgetKind) {
    const found = findError(needsTopic, destination, typedName, kind)
    setError(found)
    if (found !== null) return form.current?.querySelector<HTMLElement>(`[name="${found.field}"]`)?.focus()
    if (why !== null) return
    const { body } = splitAttachments(text)
    const draft = readWidgetText(kind, body)
    const { current: kept } = unfinished
    const known = kept?.kind === kind && kept.body === body ? kept.draft : draft
    setWidget({ kind, draft: known ?? { title: '', items: [] }, isFromText: draft !== null })
  }

  /** Keeps a poll or to-do list for the next time that its dialog opens; null for nothing. */
  function keepWidget(kind: WidgetKind, draft: WidgetDraft | null) {
    unfinished.current = draft === null ? null : { kind, body: splitAttachments(text).body, draft }
  }

  function postWidget(posted: string) {
    const { attachments } = splitAttachments(text)
    unfinished.current = null
    flushSync(() => {
      if (widget?.isFromText) change(destination, { text: joinAttachments('', attachments) })
      setWidget(null)
    })
    deliver(posted, null)
    focusText()
  }

  useComposeRequests((request) => {
    if (!takesRequest(page, request, ownId)) return false
    if (request.isFocusOnly) {
      focusText()
      const area = form.current?.querySelector('textarea')
      area?.setSelectionRange(area.value.length, area.value.length)
      insertHeldTyping()
      return true
    }
    const taken = makeRoom(request)
    const left = taken ?? text
    const { body, attachments } = splitAttachments(left)
    const requested = joinAttachments(withRequestedText(body, request.text), attachments)
    if (taken === null && (target !== null || typedName !== null)) write({ text: requested })
    else {
      change(toDestination(request), { text: requested })
      writeName(null)
    }
    setError(null)
    focusText()
    form.current?.querySelector('textarea')?.setSelectionRange(requested.length, requested.length)
    return true
  })
  useRequestedTopic(page.kind === 'channel' ? page.channelId : null, () => {
    if (page.kind !== 'channel') return
    change({ kind: 'channel', channelId: page.channelId, topic: '' }, { text })
    writeName(null)
    focusText()
    requestAnimationFrame(() => focusRecipientField('topic'))
  })

  function submit(dueAt: number | null) {
    const found = text.trim() === '' ? null : findError(needsTopic, destination, typedName, text)
    setError(found)
    if (text.trim() === '') return focusText()
    if (found !== null) return form.current?.querySelector<HTMLElement>(`[name="${found.field}"]`)?.focus()
    if (why === null) submission.submit(dueAt)
  }

  /**
   * Prepares the box for a request. If the text is for other recipients, it becomes a draft, and the draft of the
   * requested conversation takes its place. Returns the text of that draft, or null if the text of the box stays.
   */
  function makeRoom(request: ComposeRequest): string | null {
    submission.release()
    const requested = conversationOfDestination(toDestination(request), ownId)
    if (!submission.isHeld && text.trim() !== '' && !putAside(request, requested)) return null
    if (requested === null || isPageOf(page, requested)) return ''
    return takeDraftOf(requested, key, ownId)
  }

  /** Saves the text as a draft if it is for other recipients than the request. Returns false if it stays. */
  function putAside(request: ComposeRequest, requested: ConversationRef | null): boolean {
    if (request.isQuote) return false
    if (typedName !== null) {
      if (!setDraftAside(ownId, key)) return false
    } else {
      const isElsewhere =
        target !== null && requested !== null && conversationKey(target) !== conversationKey(requested)
      if (!isElsewhere || isPageOf(page, target) || !addToDraft(target, text, ownId)) return false
      saveDraft(key, {})
      moveUploadsToDraft(key, target, ownId)
    }
    showToast(t('Saved as a draft: {title}', { title: titleOf(target ?? { people: [] }) }), {
      link: { text: t('View'), href: '/drafts', open: () => void router.navigate({ to: '/drafts' }) },
    })
    return true
  }

  /**
   * Opens the conversation of the recipients, and takes the text along, if the keys are `Ctrl` and `.`. Returns true
   * for these keys.
   */
  function goOnKey(event: KeyboardEvent): boolean {
    if (event.key !== '.' || !(event.ctrlKey || event.metaKey)) return false
    event.preventDefault()
    go?.()
    return true
  }

  /** Opens a conversation with the text in its compose box. */
  function open(conversation: ConversationRef, text = '') {
    requestComposeOnNextPage({ text, conversation })
    void router.navigate(toLocation(conversation))
  }

  const go =
    target === null || isPageOf(page, target) || findRecipientError(destination, typedName) !== null
      ? null
      : () => {
          // Deletes the draft here, because this compose box is removed before it saves its draft.
          saveDraft(key, {})
          moveUploadsToDraft(key, target, ownId)
          open(target, text)
        }

  /** Sends or schedules a message. A message of the page that starts messages leads to its conversation. */
  function deliver(text: string, dueAt: number | null) {
    typing.stop()
    delivery.submit({ destination, text, dueAt })
    const isHere = router.state.location.pathname === '/dm'
    if (page.kind === 'any' && page.isNew && dueAt === null && isHere && target !== null) open(target)
  }

  function undoSend() {
    submission.undo()
    focusText()
  }

  function onOpen(isOpen: boolean) {
    setOpen(isOpen)
    if (!isOpen && !(page.kind === 'any' && page.isNew)) reset()
  }

  if (why !== null && text === '' && isOwnDestination(page, destination)) return <BlockedComposer reason={why} />
  if (page.kind === 'any' && page.isForReplies && text === '' && target === null) return null
  return (
    <>
      <ComposerFrame
        form={form}
        label={nameOf.label(destination)}
        placeholder={nameOf.placeholder(destination, target !== null && isPageOf(page, target))}
        text={text}
        onText={(text) => {
          submission.undo()
          write({ text })
          setError(null)
          typing.type(text.trim() === '' ? null : typingTarget(destination, ownId))
        }}
        error={why === null ? shownError : { field: 'text', text: why }}
        page={page}
        uploadTarget={uploadTarget}
        onOpen={onOpen}
        isAlwaysOpen={page.kind === 'any' && page.isNew === true}
        destination={destination}
        sending={delivery}
        notes={
          <>
            {submission.isHeld && <HeldNote onUndo={undoSend} />}
            <DraftConflict draftKey={key} />
            {(destination.kind === 'direct' || typedName === null) && (
              <Warnings
                draftKey={key}
                text={text}
                destination={destination}
                onChange={(destination) => change(destination, { text })}
              />
            )}
            {submission.dialog}
          </>
        }
        onSubmit={submit}
        onWidget={openWidget}
        onKeyDown={(event) => (text === '' && editOnArrowUp(event, page)) || goOnKey(event)}
      >
        <RecipientLine
          destination={destination}
          onGo={go}
          error={shownError}
          typed={typedName}
          onType={(typed) => {
            writeName(typed?.text ?? null)
            setNameLeft(typed?.isLeft ?? true)
            setError(null)
          }}
          onChange={(destination) => {
            change(destination, { text })
            setError(null)
          }}
        />
      </ComposerFrame>
      {widget !== null && (
        <WidgetDialog
          {...widget}
          destination={titleOf(target ?? { people: [] })}
          onPost={postWidget}
          onKeep={(draft) => keepWidget(widget.kind, draft)}
          onClose={() => setWidget(null)}
        />
      )}
    </>
  )
}

/** Writes the characters that the user typed while the page was opening into the focused field. */
function insertHeldTyping(): void {
  const typed = takeHeldTyping()
  if (typed !== '') document.execCommand('insertText', false, typed)
}

/** Focuses the first recipient field of the page that starts messages. */
function focusRecipients(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>(':is([name="people"], [name="channel"])')?.focus()
}

/** Returns true if the message goes to the channel or people of the page. */
function isOwnDestination(page: ComposerPage, destination: Destination): boolean {
  if (page.kind === 'any') return false
  if (page.kind === 'direct') return destination.kind === 'direct' && String(destination.people) === String(page.people)
  return destination.kind === 'channel' && destination.channelId === page.channelId
}

/** Opens the user's last message for editing if the key is the up arrow. Returns true if it did. */
function editOnArrowUp(event: KeyboardEvent, page: ComposerPage): boolean {
  const organization = currentOrganization()
  const hasModifier = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey
  if (event.key !== 'ArrowUp' || hasModifier || organization === undefined) return false
  if (!editLastMessage(page, organization)) return false
  event.preventDefault()
  return true
}

/** Returns the target of typing notifications; null for notes to self, and until the recipients are chosen. */
function typingTarget(destination: Destination, ownId: number) {
  const conversation = conversationOfDestination(destination, ownId)
  if (conversation === null) return null
  if (conversation.kind === 'topic')
    return { type: 'channel' as const, stream_id: conversation.channelId, topic: conversation.topic }
  return String(conversation.people) === String(ownId)
    ? null
    : { type: 'direct' as const, to: [...conversation.people] }
}
