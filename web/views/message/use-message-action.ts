import type { RefObject } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import type { Message } from '../../store/messages/message.ts'
import { peopleOf, toTerms } from '../../store/messages/narrow.ts'
import { type Organization, useOrganization } from '../../store/organization.ts'
import { type ComposeRequest, requestCompose } from '../../store/page/compose-request.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { copyText } from './copy-text.ts'
import { linkToMessage, quoteOf } from './links.ts'
import type { MessageAction } from './message-actions.ts'
import { fetchSource } from './parts/message-source.ts'
import type { Part } from './parts/part.ts'

/** Returns a function that runs a message action, directly or in a part that `open` opens. */
export function useMessageAction(
  message: Message,
  content: RefObject<HTMLElement | null>,
  open: (part: Part) => void,
): (action: MessageAction) => void {
  const organization = useOrganization()
  return (run) => {
    switch (run) {
      case 'reply':
        return compose(message, organization, '')
      case 'quote':
        return void quote(message, organization, selectedText(content.current))
      case 'copy-link':
        return void copyText(linkToMessage(message, organization.realm_url, organization.user_id), t('Link copied'))
      case 'copy-text':
        return void copyText(selectedText(content.current) ?? content.current?.innerText ?? '', t('Text copied'))
      case 'copy-markdown':
        return void copyText(markdownOf(message), t('Markdown copied'))
      case 'unread':
        return void showOutcome(markUnreadFrom(message, organization.user_id), t('Marked as unread'))
      case 'star':
      case 'unstar':
        return void showOutcome(setFlag(message, 'starred', run === 'star'))
      case 'collapse':
      case 'expand':
        return void showOutcome(setFlag(message, 'collapsed', run === 'collapse'))
      default:
        return open(run)
    }
  }
}

const markdownOf = async ({ id }: Message) => (await fetchSource(id)).raw_content

/** Shows an error, or else the confirmation, in a toast. */
async function showOutcome(work: Promise<unknown>, done?: string): Promise<void> {
  try {
    await work
    if (done !== undefined) showToast(done)
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

const setFlag = ({ id }: Message, flag: 'starred' | 'collapsed', isOn: boolean) =>
  call('POST /messages/flags', { messages: [id], op: isOn ? 'add' : 'remove', flag })

/** The number of messages in one request. */
const PAGE = 1000

async function markUnreadFrom(message: Message, ownId: number): Promise<void> {
  const { id, stream_id, subject } = message
  const narrow = toTerms(
    stream_id === undefined
      ? { kind: 'direct', people: peopleOf(message, ownId) }
      : { kind: 'topic', channelId: stream_id, topic: subject },
    ownId,
  )
  const change = { narrow, num_before: 0, num_after: PAGE, op: 'remove', flag: 'read' } as const
  let answer = await call('POST /messages/flags/narrow', { ...change, anchor: String(id), include_anchor: true })
  while (!answer.found_newest && answer.last_processed_id !== null)
    answer = await call('POST /messages/flags/narrow', {
      ...change,
      anchor: String(answer.last_processed_id),
      include_anchor: false,
    })
}

async function quote(message: Message, organization: Organization, selected: string | null): Promise<void> {
  try {
    const text = selected ?? (await markdownOf(message))
    compose(message, organization, quoteOf(message, text, organization.realm_url, organization.user_id))
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

function compose(message: Message, { user_id }: Organization, text: string): void {
  const target: ComposeRequest['conversation'] =
    message.stream_id === undefined
      ? { people: peopleOf(message, user_id) }
      : { channelId: message.stream_id, topic: message.subject }
  if (!requestCompose({ text, conversation: target })) showToast(t('You can’t reply on this page.'), { kind: 'error' })
}

/** Returns the selected text of the element; null if nothing or something outside is selected. */
function selectedText(element: Element | null): string | null {
  const selection = getSelection()
  if (element === null || selection === null || selection.isCollapsed) return null
  const isInside = element.contains(selection.anchorNode) && element.contains(selection.focusNode)
  return isInside ? selection.toString().trim() || null : null
}
