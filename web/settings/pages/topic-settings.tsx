import { useMutation } from '@tanstack/react-query'
import MessageSquare from 'lucide-react/icons/message-square'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { SettingsGroup } from '../../forms/setting-row.tsx'
import { TopicPolicy } from '../../messages/message.ts'
import { topicTitle } from '../../messages/narrow.ts'
import { TopicName } from '../../navigation/conversation-name.tsx'
import { NarrowLink } from '../../navigation/narrow-link.tsx'
import { matchesName } from '../../navigation/row-list.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Organization, subscriptionsById, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { TextField } from '../../ui/field.tsx'
import { Empty } from '../../ui/page-states.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import { SettingField } from '../setting-field.tsx'
import * as css from '../settings-table.module.css'

const POLICIES: readonly { id: number; label: string }[] = [
  { id: TopicPolicy.followed, label: t('Followed') },
  { id: TopicPolicy.unmuted, label: t('Unmuted') },
  { id: TopicPolicy.muted, label: t('Muted') },
]

/** The state of a topic that the user has not changed. */
const DEFAULT = { id: TopicPolicy.inherit, label: t('Default') }

type UserTopic = Organization['user_topics'][number]

/**
 * The topics that the user follows, has muted or has unmuted. Each has a choice of its state, and filters limit the
 * list.
 */
function TopicTable(): ReactNode {
  const { user_topics, subscriptions } = useOrganization('user_topics', 'subscriptions')
  const [text, setText] = useState('')
  const [kind, setKind] = useState(0)
  const channels = subscriptionsById(subscriptions)
  const nameOf = ({ stream_id }: UserTopic) => channels.get(stream_id)?.name ?? ''
  // The server keeps the choices for channels that the user has left.
  const own = user_topics.filter(
    ({ stream_id, visibility_policy }) => channels.has(stream_id) && visibility_policy !== TopicPolicy.inherit,
  )
  const shown = own
    .filter((one) => kind === 0 || one.visibility_policy === kind)
    .filter((one) => matchesName(`${nameOf(one)} ${one.topic_name || t('general chat')}`, text))
    .toSorted((one, other) => other.last_updated - one.last_updated)
  if (own.length === 0)
    return (
      <Empty icon={<MessageSquare />} title={t('No followed or muted topics')}>
        <p>{t('Follow or mute a topic in its menu, and it appears here.')}</p>
      </Empty>
    )
  return (
    <>
      <search className={css.settingsFilters} aria-label={t('Filter topics')}>
        <TextField label={t('Search topics')} type="search" value={text} onChange={setText} />
        <SelectField
          label={t('Show')}
          value={kind}
          options={[{ id: 0, label: t('All') }, ...POLICIES]}
          onChange={setKind}
        />
      </search>
      <p className="visually-hidden" role="status">
        {t('{count, plural, one {# topic} other {# topics}}', { count: shown.length })}
      </p>
      {shown.length === 0 ? (
        <p className="soft">{t('No matching topics.')}</p>
      ) : (
        <table className={css.settingsTable}>
          <thead>
            <tr>
              <th scope="col">{t('Topic')}</th>
              <th scope="col">{t('Since')}</th>
              <th scope="col">{t('Status')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <TopicRow key={`${one.stream_id} ${one.topic_name}`} topic={one} channel={nameOf(one)} />
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

function TopicRow({ topic, channel }: { topic: UserTopic; channel: string }): ReactNode {
  const { stream_id, topic_name, visibility_policy, last_updated } = topic
  const { mutate, isPending } = useMutation({
    mutationFn: (policy: number) =>
      call('POST /user_topics', { stream_id, topic: topic_name, visibility_policy: policy as 0 }),
    onSuccess: (_, policy) => {
      if (policy !== TopicPolicy.inherit) return
      showToast(t('Removed #{channel} › {topic}', { channel, topic: topicTitle(topic_name) }), {
        undo: () => mutate(visibility_policy),
      })
    },
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  return (
    <tr>
      <th scope="row">
        <NarrowLink narrow={{ kind: 'topic', channelId: stream_id, topic: topic_name }}>
          <span className="soft">{`#${channel} › `}</span>
          <TopicName topic={topic_name} />
        </NarrowLink>
      </th>
      <td className="soft">
        <Time at={last_updated} as="ago" />
      </td>
      <td>
        <SelectField
          label={t('Status of {topic}', { topic: topicTitle(topic_name) })}
          isLabelHidden
          value={visibility_policy}
          options={[...POLICIES, DEFAULT]}
          isDisabled={isPending}
          onChange={mutate}
        />
      </td>
    </tr>
  )
}

/** The settings for following topics automatically, and the topics that the user follows or has muted. */
export function TopicSettings(): ReactNode {
  return (
    <>
      <SettingsGroup title={t('Automatic')}>
        <SettingField name="automatically_follow_topics_policy" />
        <SettingField name="automatically_unmute_topics_in_muted_streams_policy" />
        <SettingField name="automatically_follow_topics_where_mentioned" />
      </SettingsGroup>
      <SettingsGroup title={t('Your topics')}>
        <TopicTable />
      </SettingsGroup>
    </>
  )
}
