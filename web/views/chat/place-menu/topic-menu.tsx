import { useMutation } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { loadPart } from '../../../store/load-part.ts'
import { type Message, TopicPolicy } from '../../../store/messages/message.ts'
import { type ConversationRef, isSameTopic } from '../../../store/messages/narrow.ts'
import { findNewestId } from '../../../store/messages/topics.ts'
import { unreadStore } from '../../../store/messages/unread-messages.ts'
import { type Organization, type Subscription, useOrganization } from '../../../store/organization.ts'
import { isInSetting } from '../../../store/people/membership.ts'
import { t } from '../../../text/t.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { type RowAction, RowMenu } from '../../../ui/table/row-menu.tsx'
import { copyText } from '../../message/copy-text.ts'
import { linkToTopic } from '../../message/links.ts'
import { fetchMessage, renameTopic } from './change-topic.ts'
import { markReadActions } from './mark-read.ts'
import { isResolved, withResolved } from './resolved.ts'
import { topicChoices } from './topic-choices.ts'

const MoveDialog = lazy(() =>
  loadPart(async () => ({ default: (await import('../../message/parts/move-dialog.tsx')).MoveDialog })),
)

const DeleteTopicDialog = lazy(() =>
  loadPart(async () => ({ default: (await import('./delete-topic-dialog.tsx')).DeleteTopicDialog })),
)

type Place = { channel: Subscription; topic: string }

/** The menu of a topic. */
export function TopicMenu({ channel, topic }: Place): ReactNode {
  const organization = useOrganization()
  const [moving, move] = useState<Message | null>(null)
  const [deleting, remove] = useState<Place | null>(null)
  const { stream_id: channelId } = channel
  const isHere = (conversation: ConversationRef) =>
    conversation.kind === 'topic' && conversation.channelId === channelId && isSameTopic(conversation.topic, topic)
  const unread = unreadStore.use()
  const { mutate: run } = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })

  function policyActs(): RowAction[] {
    const policy = policyOf(organization, channelId, topic)
    const choose = (visibility_policy: number) =>
      call('POST /user_topics', { stream_id: channelId, topic, visibility_policy: visibility_policy as 0 })
    return topicChoices(policy, channel.is_muted).map(({ label, policy: next, done }) => ({
      label,
      run: () =>
        run(async () => {
          await choose(next)
          showToast(done, { undo: () => run(() => choose(policy)) })
        }),
    }))
  }

  function changeActs(): RowAction[] {
    const { mayResolve, mayMove } = rightsOn(organization, { channel, topic })
    const resolve = (id: number) => renameTopic(id, withResolved(topic, !isResolved(topic)))
    const label = isResolved(topic) ? t('Unresolve topic') : t('Resolve topic')
    return [
      ...(mayResolve ? [{ label, run: () => runOnNewest(resolve) }] : []),
      ...(mayMove
        ? [{ label: t('Move topic'), run: () => runOnNewest(async (id) => move(await fetchMessage(id))) }]
        : []),
    ]
  }

  /** The API changes a topic through one of its messages. */
  function runOnNewest(work: (messageId: number) => Promise<void>) {
    run(async () => {
      const id = await findNewestId(channelId, topic)
      if (id === null) showToast(t('No messages in this topic yet'))
      else await work(id)
    })
  }

  const link = () => linkToTopic(channel, topic, organization.realm_url)
  return (
    <>
      <RowMenu
        label={t('Actions for topic {topic}', { topic: topic || t('general chat') })}
        items={[
          ...markReadActions(unread, isHere),
          ...policyActs(),
          ...changeActs(),
          { label: t('Copy link'), run: () => void copyText(link(), t('Link copied')) },
          ...(organization.is_admin && !channel.is_archived
            ? [{ label: t('Delete topic'), isDanger: true, run: () => remove({ channel, topic }) }]
            : []),
        ]}
      />
      {moving !== null && (
        <Suspense>
          <MoveDialog message={moving} extent="change_all" onClose={() => move(null)} />
        </Suspense>
      )}
      {deleting !== null && (
        <Suspense>
          <DeleteTopicDialog {...deleting} onClose={() => remove(null)} />
        </Suspense>
      )}
    </>
  )
}

function policyOf({ user_topics }: Organization, channelId: number, topic: string): number {
  const own = user_topics.find((one) => one.stream_id === channelId && isSameTopic(one.topic_name, topic))
  return own?.visibility_policy ?? TopicPolicy.inherit
}

/** Returns what the user may do; the server checks the time limits of single messages. */
function rightsOn(organization: Organization, { channel, topic }: Place): { mayResolve: boolean; mayMove: boolean } {
  const { realm_user_groups, user_id } = organization
  const has = (setting: Parameters<typeof isInSetting>[2]) => isInSetting(realm_user_groups, user_id, setting)
  if (channel.is_archived) return { mayResolve: false, mayMove: false }
  return {
    mayResolve: topic !== '' && has(organization.realm_can_resolve_topics_group),
    mayMove:
      topic === '' ||
      has(organization.realm_can_move_messages_between_topics_group) ||
      has(organization.realm_can_move_messages_between_channels_group),
  }
}
