import type { RefObject } from 'react'
import { call } from '../../api/call.ts'
import { type ComposeRequest, requestCompose } from '../../browser/compose-requests.ts'
import { linkToMessage, quoteOf } from '../../messages/links.ts'
import type { Message } from '../../messages/message.ts'
import { fetchSource } from '../../messages/message-source.ts'
import { conversationOf, peopleOf } from '../../messages/narrow.ts'
import { toAppError } from '../../store/app-error.ts'
import { currentOrganization, type Organization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/toasts.ts'
import type { Part } from '../dialogs/part.ts'
import { copyText } from '../menus/copy-text.ts'
import { markAsUnread } from '../unread-actions.ts'
import type { MessageAction } from './message-actions.ts'

/** Returns a function that runs a message action, either directly or by opening a dialog or form with `open`. */
export function useMessageAction(
  message: Message,
  content: RefObject<HTMLElement | null>,
  open: (part: Part) => void,
): (action: MessageAction) => void {
  return (run) => {
    const organization = currentOrganization()
    if (organization === undefined) return
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
        return void markAsUnread(conversationOf(message, organization.user_id), message.id, organization.user_id)
      case 'star':
        return void orShowError(setFlag(message, 'starred', true))
      case 'unstar':
        return void orShowError(unstar(message))
      case 'collapse':
      case 'expand':
        return void orShowError(setFlag(message, 'collapsed', run === 'collapse'))
      default:
        return open(run)
    }
  }
}

const markdownOf = async ({ id }: Message) => (await fetchSource(id)).raw_content

/** Removes the star. A toast offers to undo it, because the message disappears from the starred messages. */
async function unstar(message: Message): Promise<void> {
  await setFlag(message, 'starred', false)
  showToast(t('Message unstarred'), { undo: () => void orShowError(setFlag(message, 'starred', true)) })
}

/** Waits for the work. Shows its error in a toast. */
async function orShowError(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

const setFlag = ({ id }: Message, flag: 'starred' | 'collapsed', isOn: boolean) =>
  call('POST /messages/flags', { messages: [id], op: isOn ? 'add' : 'remove', flag })

async function quote(message: Message, organization: Organization, selected: string | null): Promise<void> {
  try {
    const text = selected ?? (await markdownOf(message))
    compose(message, organization, quoteOf(message, text, organization.realm_url, organization.user_id))
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

function compose(message: Message, { user_id }: Organization, text: string): void {
  const isQuote = text !== ''
  const target: ComposeRequest['conversation'] =
    message.stream_id === undefined
      ? { people: peopleOf(message, user_id) }
      : { channelId: message.stream_id, topic: message.subject }
  if (!requestCompose({ text, isQuote, conversation: target }))
    showToast(t('You can’t reply on this page.'), { kind: 'error' })
}

/** Returns the selected text of the element; null if nothing or something outside is selected. */
function selectedText(element: Element | null): string | null {
  const selection = getSelection()
  if (element === null || selection === null || selection.isCollapsed) return null
  const isInside = element.contains(selection.anchorNode) && element.contains(selection.focusNode)
  return isInside ? selection.toString().trim() || null : null
}
