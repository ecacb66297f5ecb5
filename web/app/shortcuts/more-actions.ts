import { flushSync } from 'react-dom'
import { call } from '../../api/call.ts'
import { Theme } from '../../browser/appearance.ts'
import { requestCompose, requestComposeOnNextPage } from '../../browser/compose-requests.ts'
import { sortedChannels } from '../../channels/channel.ts'
import type { ComposerPage } from '../../composer/destination.ts'
import { editLastMessage } from '../../composer/edit-last.ts'
import { toggleTopicPolicy } from '../../conversation/topic-menu.tsx'
import { idOfRow } from '../../message-view/row-elements.ts'
import type { Message } from '../../messages/message.ts'
import { findMessage } from '../../messages/messages.ts'
import { conversationOf, type Narrow, peopleOf } from '../../messages/narrow.ts'
import { readNarrow, toLocation } from '../../navigation/narrow-location.ts'
import { mentionOf } from '../../people/mentions.ts'
import { toAppError } from '../../store/app-error.ts'
import { findPerson, type Organization, updateOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/toasts.ts'
import { focusedRow } from './reading-keys.ts'

/** The page on which the user pressed the shortcut. */
type Page = {
  readonly narrow: Narrow | null
  readonly organization: Organization
  readonly navigate: (to: { to: string; search?: object }) => Promise<void>
}

/** Actions of shortcuts that the first view does not need. */
export const MORE_ACTIONS = {
  muteTopic: (page: Page) => changeTopic(page, 'mute'),
  followTopic: (page: Page) => changeTopic(page, 'follow'),
  replyToSender,
  mentionSender,
  editLast,
  newMessage,
  nextChannel: (page: Page) => goToChannel(page, 1),
  previousChannel: (page: Page) => goToChannel(page, -1),
  showTopics,
  viewPicture,
  switchTheme,
} as const satisfies Record<string, (page: Page) => unknown>

const messageWithFocus = (): Message | undefined => {
  const row = focusedRow()
  return row === null ? undefined : findMessage(idOfRow(row))
}

/** Returns the topic of the page, or the topic of the focused message or list row. */
function topicHere({ narrow, organization }: Page): Extract<Narrow, { kind: 'topic' }> | null {
  const message = messageWithFocus()
  const found =
    narrow?.kind === 'topic'
      ? narrow
      : message === undefined
        ? narrowOfLink(document.activeElement)
        : conversationOf(message, organization.user_id)
  return found?.kind === 'topic' ? found : null
}

/** Returns the conversation to which the link around the element leads; null if there is none. */
function narrowOfLink(element: Element | null): Narrow | null {
  const link = element?.closest<HTMLAnchorElement>('a[href]')
  if (link == null) return null
  const { pathname, searchParams } = new URL(link.href)
  return readNarrow(pathname, Object.fromEntries(searchParams))
}

function changeTopic(page: Page, kind: 'follow' | 'mute'): void {
  const topic = topicHere(page)
  const channel = page.organization.subscriptions.find(({ stream_id }) => stream_id === topic?.channelId)
  if (topic !== null && channel !== undefined)
    void toggleTopicPolicy(page.organization, { channel, topic: topic.topic }, kind)
}

/** Starts a direct message to the sender of the focused message. */
function replyToSender({ navigate }: Page): void {
  const message = messageWithFocus()
  if (message === undefined) return
  const people = [message.sender_id]
  const request = { text: '', conversation: { people } }
  if (requestCompose(request)) return
  requestComposeOnNextPage(request)
  void navigate(toLocation({ kind: 'direct', people }))
}

/** Starts a reply that mentions the sender of the focused message. */
function mentionSender({ organization }: Page): void {
  const message = messageWithFocus()
  const sender = findPerson(organization, message?.sender_id ?? 0)
  if (message === undefined || sender === undefined) return
  const { stream_id: channelId, subject: topic } = message
  requestCompose({
    text: `${mentionOf(sender, organization.realm_users)} `,
    conversation: channelId === undefined ? { people: peopleOf(message, organization.user_id) } : { channelId, topic },
  })
}

function editLast({ narrow, organization }: Page): void {
  if (narrow === null) return
  const isOwn = narrow.kind === 'topic' || narrow.kind === 'direct' || narrow.kind === 'channel'
  const page: ComposerPage = isOwn ? narrow : { kind: 'any' }
  editLastMessage(page, organization)
}

/**
 * Starts a message in the page's compose box and focuses its recipient or topic. Pages without a compose box first open
 * the combined feed.
 */
async function newMessage({ navigate }: Page): Promise<void> {
  if (document.querySelector('.composer textarea') === null) await navigate({ to: '/combined' })
  flushSync(() => document.querySelector<HTMLElement>('.composer textarea')?.focus())
  const text = document.querySelector<HTMLTextAreaElement>('.composer textarea')?.value
  const recipient = document.querySelector<HTMLInputElement>('.composer :is([name="channel"], [name="topic"])')
  if (text !== '' || recipient === null) return
  const field =
    recipient.value === '' ? recipient : document.querySelector<HTMLInputElement>('.composer [name="topic"]')
  field?.focus()
  field?.select()
}

function goToChannel({ narrow, organization, navigate }: Page, step: 1 | -1): void {
  const channels = sortedChannels(organization.subscriptions)
  const id = narrow !== null && 'channelId' in narrow ? narrow.channelId : undefined
  const here = channels.findIndex(({ stream_id }) => stream_id === id)
  const next = here === -1 ? channels.at(step === 1 ? 0 : -1) : channels.at((here + step) % channels.length)
  if (next !== undefined) void navigate(toLocation({ kind: 'channel', channelId: next.stream_id }))
}

function showTopics({ narrow, navigate }: Page): void {
  if (narrow !== null && 'channelId' in narrow && narrow.channelId !== undefined)
    void navigate({ to: `/channels/${narrow.channelId}/topics` })
}

function viewPicture(): void {
  focusedRow()?.querySelector<HTMLElement>('a.picture')?.click()
}

async function switchTheme(): Promise<void> {
  const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark'
  const color_scheme = isDark ? Theme.light : Theme.dark
  try {
    await call('PATCH /settings', { color_scheme })
    updateOrganization(({ user_settings }) => ({ user_settings: { ...user_settings, color_scheme } }))
    showToast(isDark ? t('Light theme on') : t('Dark theme on'))
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}
