import { useMutation } from '@tanstack/react-query'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import CircleCheck from 'lucide-react/icons/circle-check'
import FolderInput from 'lucide-react/icons/folder-input'
import Link from 'lucide-react/icons/link'
import Trash from 'lucide-react/icons/trash-2'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { isResolved } from '#rules/topics.ts'
import { call } from '../api/call.ts'
import { linkToTopic } from '../messages/links.ts'
import { type Message, TopicPolicy } from '../messages/message.ts'
import { fetchMessage, renameTopic } from '../messages/message-source.ts'
import { type ConversationRef, isSameTopic, topicPolicy, topicTitle, withResolved } from '../messages/narrow.ts'
import { findKnownNewestId, findNewestId, isTitleTaken } from '../messages/topics.ts'
import { toAppError } from '../store/app-error.ts'
import { isInSetting } from '../store/membership.ts'
import { type Organization, type Subscription, useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { loadPart } from '../ui/load-part.ts'
import type { MenuAction } from '../ui/menu.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { showToast } from '../ui/toasts.ts'
import { copyText } from './menus/copy-text.ts'
import { topicChoices } from './topic-choices.ts'
import { useMarkReadActions } from './unread-actions.ts'

type Topic = { readonly channel: Subscription; readonly topic: string }

/** Follows, unfollows, mutes or unmutes a topic; a toast offers to undo it. */
export async function toggleTopicPolicy(
  organization: Pick<Organization, 'user_topics'>,
  target: Topic,
  kind: 'follow' | 'mute',
): Promise<void> {
  const before = topicPolicy(organization.user_topics, target.channel.stream_id, target.topic)
  const { policy, done } = topicChoices(before, target.channel.is_muted)[kind]
  if (await setTopicPolicy(target, policy)) showToast(done, { undo: () => void setTopicPolicy(target, before) })
}

/** Saves the setting of a topic. Shows an error and returns false if that fails. */
async function setTopicPolicy({ channel, topic }: Topic, policy: number): Promise<boolean> {
  try {
    const visibility_policy = policy as 0
    await call('POST /user_topics', { stream_id: channel.stream_id, topic, visibility_policy })
    return true
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
    return false
  }
}

const MoveDialog = lazy(() =>
  loadPart(async () => ({ default: (await import('./dialogs/move-dialog.tsx')).MoveDialog })),
)

const DeleteTopicDialog = lazy(() =>
  loadPart(async () => ({ default: (await import('./menus/delete-topic-dialog.tsx')).DeleteTopicDialog })),
)

/** The error for a new title of a topic that another topic has. */
export const titleTaken = (): string => t('This topic already exists. Use “Move topic” to merge the two.')

type ChannelTopic = { channel: Subscription; topic: string }

type TopicActions = {
  items: MenuAction[]
  isFollowed: boolean
  follow: MenuAction
  /** Resolves or unresolves the topic; null if the user may not. */
  resolve: MenuAction | null
  /** Renames or moves the topic; null if the user may not. */
  move: MenuAction | null
  /**
   * Renames the topic, which stays resolved or unresolved, unless another topic has the title; null if the user may not.
   */
  rename: ((title: string) => void) | null
  dialogs: ReactNode
}

/** Returns the actions on a topic, and the dialogs that they open. */
export function useTopicActions({ channel, topic }: ChannelTopic): TopicActions {
  const organization = useOrganization()
  const [moving, setMoving] = useState<Message | null>(null)
  const [deleting, setDeleting] = useState<ChannelTopic | null>(null)
  const { mutate: run } = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  const isHere = (conversation: ConversationRef) =>
    conversation.kind === 'topic' &&
    conversation.channelId === channel.stream_id &&
    isSameTopic(conversation.topic, topic)
  const markRead = useMarkReadActions(isHere, { kind: 'topic', channelId: channel.stream_id, topic })

  /** Runs work on the newest message of the topic, since the API changes a topic through one of its messages. */
  function runOnNewest(work: (messageId: number) => Promise<void>) {
    run(async () => {
      const id = await findNewestId(channel.stream_id, topic)
      if (id === null) showToast(t('No messages in this topic yet'))
      else await work(id)
    })
  }

  const { mayResolve, mayMove, mayRename } = rightsOn(organization, { channel, topic })
  const policy = topicPolicy(organization.user_topics, channel.stream_id, topic)
  const choices = topicChoices(policy, channel.is_muted)
  const toAction = (kind: 'follow' | 'mute'): MenuAction => ({
    label: choices[kind].label,
    icon: kind === 'follow' ? Bell : BellOff,
    startsGroup: kind === 'follow',
    run: () => void toggleTopicPolicy(organization, { channel, topic }, kind),
  })
  const [follow, mute] = [toAction('follow'), toAction('mute')]
  const resolve: MenuAction = {
    label: isResolved(topic) ? t('Unresolve topic') : t('Resolve topic'),
    icon: CircleCheck,
    startsGroup: true,
    run: () =>
      runOnNewest(async (id) => {
        const after = withResolved(topic, !isResolved(topic))
        // The messages of a topic that already has this name would be moved back, too.
        const canUndo = findKnownNewestId(channel.stream_id, after) === undefined
        await renameTopic(id, after)
        const undo = () => run(() => renameTopic(id, topic))
        showToast(isResolved(topic) ? t('Topic unresolved') : t('Topic resolved'), canUndo ? { undo } : {})
      }),
  }
  const move: MenuAction = {
    label: t('Move topic'),
    icon: FolderInput,
    startsGroup: !mayResolve,
    run: () => runOnNewest(async (id) => setMoving(await fetchMessage(id))),
  }
  const rename = (title: string) =>
    runOnNewest(async (id) => {
      if (isTitleTaken(channel.stream_id, topic, title)) return showToast(titleTaken(), { kind: 'error' })
      await renameTopic(id, withResolved(title, isResolved(topic)))
      showToast(t('Topic renamed'), { undo: () => run(() => renameTopic(id, topic)) })
    })
  /**
   * Returns a link to the topic. The link contains the id of the newest message, so that it still works after the topic
   * is renamed or moved.
   */
  async function link(): Promise<string> {
    const address = linkToTopic(channel, topic, organization.realm_url)
    const id = await findNewestId(channel.stream_id, topic).catch(() => null)
    return id === null ? address : `${address}/with/${id}`
  }
  return {
    items: [
      ...markRead,
      follow,
      mute,
      ...(mayResolve ? [resolve] : []),
      ...(mayMove ? [move] : []),
      {
        label: t('Copy link'),
        icon: Link,
        startsGroup: !mayResolve && !mayMove,
        run: () => void copyText(link(), t('Link copied')),
      },
      ...(organization.is_admin && !channel.is_archived
        ? [
            {
              label: t('Delete topic'),
              icon: Trash,
              startsGroup: true,
              isDanger: true,
              run: () => setDeleting({ channel, topic }),
            },
          ]
        : []),
    ],
    isFollowed: policy === TopicPolicy.followed,
    follow,
    resolve: mayResolve ? resolve : null,
    move: mayMove ? move : null,
    rename: mayRename ? rename : null,
    dialogs: (
      <Suspense>
        {moving !== null && <MoveDialog message={moving} extent="change_all" onClose={() => setMoving(null)} />}
        {deleting !== null && <DeleteTopicDialog {...deleting} onClose={() => setDeleting(null)} />}
      </Suspense>
    ),
  }
}

/** Returns the user's rights on the topic. Time limits depend on single messages, so only the server checks them. */
function rightsOn(
  organization: Organization,
  { channel, topic }: ChannelTopic,
): { mayResolve: boolean; mayMove: boolean; mayRename: boolean } {
  const { realm_user_groups, user_id } = organization
  const has = (setting: Parameters<typeof isInSetting>[2]) => isInSetting(realm_user_groups, user_id, setting)
  if (channel.is_archived) return { mayResolve: false, mayMove: false, mayRename: false }
  const mayRename = topic === '' || has(organization.realm_can_move_messages_between_topics_group)
  return {
    mayResolve: topic !== '' && has(organization.realm_can_resolve_topics_group),
    mayMove: mayRename || has(organization.realm_can_move_messages_between_channels_group),
    mayRename,
  }
}

/** The menu of a topic, with the dialogs that its actions open. */
export function TopicMenu({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const { items, dialogs } = useTopicActions({ channel, topic })
  return (
    <>
      <RowMenu label={t('Actions for topic {topic}', { topic: topicTitle(topic) })} items={items} />
      {dialogs}
    </>
  )
}
