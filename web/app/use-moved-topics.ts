import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { continueEditOnNextPage, noteComposeFocus, requestComposeOnNextPage } from '../browser/compose-requests.ts'
import { holdTyping } from '../browser/typed-ahead.ts'
import { moveComposer } from '../composer/use-draft.ts'
import type { MessagePosition } from '../conversation/use-scroll-anchor.ts'
import { firstVisibleRow, idOfRow, shownTimeline } from '../message-view/row-elements.ts'
import { readDraft, topicDraftKey } from '../messages/drafts.ts'
import { moveDrafts, moveTopicDraft } from '../messages/moved-drafts.ts'
import { type ConversationRef, isSameTopic, topicTitle } from '../messages/narrow.ts'
import { onTopicMoved } from '../messages/topics.ts'
import { readNarrow, toLocation } from '../navigation/narrow-location.ts'
import { currentOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/toasts.ts'

type Topic = Extract<ConversationRef, { kind: 'topic' }>
type Move = {
  readonly from: Topic
  readonly to: Topic
  readonly isOwn: boolean
  /** The position of the timeline when the topic moved. */
  readonly position: MessagePosition | undefined
}

/** Selectors of forms on the page, and of all elements that navigation would interrupt while they have the focus. */
const WRITING = 'main form'
const BUSY = `${WRITING}, input, textarea, [role="dialog"], [role="alertdialog"]`

/** The time between two checks of the focus while a move waits for it, in milliseconds. */
const CHECK_TIME = 300

/**
 * Follows the current topic when it is moved or renamed. The visible messages stay in place, the compose box and an open
 * edit follow with their text and the focus, and a toast names the new topic. If navigation would interrupt the user in
 * another way, the page waits until the focus has left the form or dialog; meanwhile, the toast and the empty page link
 * to the new topic. Saved drafts follow on all pages.
 */
export function useMovedTopics(): void {
  const router = useRouter()
  useEffect(() => {
    /** The move that waits. */
    let waiting: Move | null = null
    let timer: ReturnType<typeof setInterval> | undefined

    function wait(move: Move | null) {
      clearInterval(timer)
      waiting = move
      if (move !== null) timer = setInterval(followWaiting, CHECK_TIME)
    }

    function followWaiting() {
      if (waiting === null) return
      if (!isCurrent(waiting.from)) wait(null)
      else if (document.activeElement?.closest(BUSY) == null) follow(waiting)
    }

    function isCurrent(topic: Topic): boolean {
      // The page may still be opening, for example because the same topic has just moved to it.
      const { pathname, search } = router.latestLocation
      const narrow = readNarrow(pathname, search)
      return narrow?.kind === 'topic' && isSame(narrow, topic)
    }

    const open = ({ to, position }: Move, near?: number) =>
      void router.navigate({
        ...toLocation(to, near),
        replace: true,
        state: position === undefined ? {} : { position },
      })

    /** Returns the position of the shown timeline, or the one at which it will open. */
    function currentPosition(): MessagePosition | undefined {
      const list = shownTimeline()
      const row = list && firstVisibleRow(list)
      if (row == null) return router.latestLocation.state.position
      return { id: idOfRow(row), top: row.getBoundingClientRect().top }
    }

    function follow(move: Move) {
      const { from, to, isOwn } = move
      const focused = document.activeElement
      const isBusy = focused?.closest(isOwn ? WRITING : BUSY) != null
      const isWriting = focused?.closest('.composer') != null && canTakeComposer(to)
      const edit = isBusy ? focused?.closest('.edit-form') : document.querySelector('main .edit-form')
      const follows = !isBusy || isWriting || edit != null || isElsewhere(focused)
      const isRenamed = from.channelId !== to.channelId || topicTitle(from.topic) !== topicTitle(to.topic)
      if (isBusy || (isRenamed && !isOwn && move !== waiting)) showMove(to, follows ? null : () => open(move))
      wait(follows ? null : move)
      if (!follows) return
      if (isWriting && from.channelId === to.channelId) moveComposer(from, to)
      else moveTopicDraft(ownId(), from, to)
      // The page of another channel has a new compose box.
      if (isWriting && from.channelId !== to.channelId) requestComposeOnNextPage({ text: '', conversation: to })
      else if (isBusy || edit != null) noteComposeFocus()
      open(move, edit == null || isWriting ? undefined : continueEdit(edit))
    }

    const stop = onTopicMoved((from, to, isOwn) => {
      moveDrafts(ownId(), from, to, isCurrent(from))
      if (isCurrent(from)) follow({ from, to, isOwn, position: currentPosition() })
      // The topic may move again, or back, while the page waits.
      else if (waiting !== null && isSame(waiting.to, from)) wait(isSame(waiting.from, to) ? null : { ...waiting, to })
    })
    return () => {
      stop()
      wait(null)
    }
  }, [router])
}

const ownId = () => currentOrganization()?.user_id ?? 0

const isSame = (one: Topic, other: Topic): boolean =>
  one.channelId === other.channelId && isSameTopic(one.topic, other.topic)

/** Names the new topic in a toast, with a link to it if the page does not follow. */
function showMove(to: Topic, open: (() => void) | null): void {
  const channel = currentOrganization()?.subscriptions.find(({ stream_id }) => stream_id === to.channelId)?.name
  const topic = topicTitle(to.topic)
  const text =
    channel === undefined
      ? t('This conversation moved to {topic}', { topic })
      : t('This conversation moved to #{channel} › {topic}', { channel, topic })
  const { to: path, search } = toLocation(to)
  const href = `${path}?${new URLSearchParams(search as Record<string, string>)}`
  showToast(text, open === null ? {} : { link: { text: t('Go there'), href, open } })
}

/** Returns true if the focus is in a field that stays when the page changes. */
function isElsewhere(focused: Element | null): boolean {
  if (focused?.closest('.switcher, main search') != null) return true
  return focused?.closest('main, [role="dialog"], [role="alertdialog"]') == null
}

/** Lets the edit continue on the next page. Returns the id of its message, at which the page opens. */
function continueEdit(form: Element): number {
  const id = idOfRow(form.closest<HTMLElement>('[data-message]')!)
  const area = form.querySelector('textarea')
  // The focus may be on a button of the form; then nothing is typed.
  if (area !== null && area === document.activeElement) holdTyping()
  continueEditOnNextPage(id, [area?.selectionStart ?? 0, area?.selectionEnd ?? 0])
  return id
}

/** Returns true if the user may have a compose box in the topic, and has no draft there that the text would replace. */
function canTakeComposer({ channelId, topic }: Topic): boolean {
  const organization = currentOrganization()
  if (!organization?.subscriptions.some(({ stream_id }) => stream_id === channelId)) return false
  return !readDraft(topicDraftKey(organization.user_id, channelId, topic)).text
}
