import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import X from 'lucide-react/icons/x'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { type Person, type Subscription, useOrganization, useOwnId } from '../../../store/organization.ts'
import { addSubscribers, channelsWithPeople } from '../../../store/people/subscribers.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { ComboField } from '../../../ui/fields/combo-field.tsx'
import { ChannelIcon } from '../../channel/channel-icon.tsx'
import { mayAddPeople, mayRemovePeople } from '../../channels/rights.ts'
import { RemoveSubscribersDialog } from '../../channels/subscribers/remove-dialog.tsx'
import { removeFromChannel, useRemovedFrom } from '../../channels/subscribers/remove-subscribers.ts'

/**
 * The channels that the viewer has in common with a user. Viewers with permission can add the user to channels, and
 * remove the user from channels.
 */
export function PersonChannels({ person }: { person: Person }): ReactNode {
  const isOwn = person.user_id === useOwnId()
  const { data, error, refetch } = useQuery(channelsWithPeople)
  const { subscriptions } = useOrganization()
  const isRemoved = useRemovedFrom(person.user_id)
  const ids = new Set(
    data?.filter(({ subscribers }) => subscribers?.includes(person.user_id)).map(({ stream_id }) => stream_id),
  )
  return (
    <section className="person-section" aria-labelledby="person-channels">
      <h2 id="person-channels">{isOwn ? t('Channels') : t('Channels in common')}</h2>
      {error !== null ? (
        <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading label={t('Loading channels')} lines={1} />
      ) : (
        <Channels
          person={person}
          common={subscriptions.filter(({ stream_id }) => ids.has(stream_id) && !isRemoved(stream_id))}
        />
      )}
    </section>
  )
}

function Channels({ person, common }: { person: Person; common: readonly Subscription[] }): ReactNode {
  const organization = useOrganization()
  const [removed, remove] = useState<Subscription | null>(null)
  const isOther = person.user_id !== organization.user_id && person.is_active
  const offered = isOther
    ? organization.subscriptions.filter(
        (channel) => !channel.is_archived && !common.includes(channel) && mayAddPeople(organization, channel, true),
      )
    : []
  return (
    <>
      {common.length === 0 && <p className="soft">{t('None')}</p>}
      <ul className="person-list">
        {common.map((channel) => (
          <li key={channel.stream_id}>
            <Link to="/channels/$channelId" params={{ channelId: String(channel.stream_id) }}>
              <ChannelIcon channel={channel} />
              {channel.name}
            </Link>
            {isOther && mayRemovePeople(organization, channel, true) && (
              <Button
                kind="quiet"
                aria-label={t('Remove from {name}', { name: channel.name })}
                icon={<X className="icon" aria-hidden="true" />}
                onPress={() => remove(channel)}
              />
            )}
          </li>
        ))}
      </ul>
      {offered.length > 0 && <AddToChannel person={person} channels={offered} />}
      {removed !== null && (
        <RemoveSubscribersDialog
          channel={removed}
          people={[person]}
          onRemove={() => {
            remove(null)
            removeFromChannel(removed, [person])
          }}
          onClose={() => remove(null)}
        />
      )}
    </>
  )
}

function AddToChannel({ person, channels }: { person: Person; channels: readonly Subscription[] }): ReactNode {
  const { mutate } = useMutation({
    mutationFn: ({ name }: Subscription) =>
      call('POST /users/me/subscriptions', { subscriptions: [{ name }], principals: [person.user_id] }),
    onSuccess(_, { stream_id, name }) {
      addSubscribers([stream_id], [person.user_id])
      showToast(t('{who} added to #{channel}', { who: person.full_name, channel: name }))
    },
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  return (
    <ComboField
      key={channels.length}
      label={t('Add to a channel')}
      value={null}
      opensOnFocus
      placeholder={t('Enter a name')}
      options={channels.map(({ stream_id, name }) => ({ id: stream_id, label: name }))}
      onChoose={(id) => {
        const channel = channels.find((one) => one.stream_id === id)
        if (channel !== undefined) mutate(channel)
      }}
    />
  )
}
