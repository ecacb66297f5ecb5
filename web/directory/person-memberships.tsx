import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import X from 'lucide-react/icons/x'
import { type ReactNode, useState } from 'react'
import { call } from '../api/call.ts'
import { mayAddPeople, mayRemovePeople } from '../channels/channel.ts'
import { RemoveSubscribersDialog, removeFromChannel, useRemovedFrom } from '../channels/remove-subscribers.tsx'
import { ChannelIcon } from '../navigation/conversation-name.tsx'
import { toAppError } from '../store/app-error.ts'
import { membersOf } from '../store/membership.ts'
import { type Group, type Person, type Subscription, useOrganization, useOwnId } from '../store/organization.ts'
import { addSubscribers, channelsWithPeople } from '../store/subscribers.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { ComboField } from '../ui/combo-field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/page-states.tsx'
import { showToast } from '../ui/toasts.ts'
import { mayAddTo, mayRemoveFrom } from './group-rights.ts'
import * as css from './person-page.module.css'

/**
 * The channels that the viewer has in common with a user. Viewers with permission can add the user to channels, and
 * remove the user from channels.
 */
export function PersonChannels({ person }: { person: Person }): ReactNode {
  const isOwn = person.user_id === useOwnId()
  const { data, error, refetch } = useQuery(channelsWithPeople)
  const { subscriptions } = useOrganization('subscriptions')
  const isRemoved = useRemovedFrom(person.user_id)
  const ids = new Set(
    data?.filter(({ subscribers }) => subscribers?.includes(person.user_id)).map(({ stream_id }) => stream_id),
  )
  return (
    <section className={css.personSection} aria-labelledby="person-channels">
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
      <ul className={css.personList}>
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

/** The groups of a user. Viewers with permission can add the user to groups, and remove the user from groups. */
export function PersonGroups({ person }: { person: Person }): ReactNode {
  const organization = useOrganization()
  const { realm_user_groups } = organization
  const own = realm_user_groups.filter(({ is_system_group, deactivated }) => !is_system_group && !deactivated)
  const isIn = ({ id }: Group) => membersOf(realm_user_groups, [id]).has(person.user_id)
  const offered = person.is_active
    ? own.filter((group) => !group.members.includes(person.user_id) && mayAddTo(organization, group))
    : []
  const groups = own.filter(isIn)
  const { mutate, variables, isPending } = useMembershipChange(person)
  if (groups.length === 0 && offered.length === 0) return null
  return (
    <section className={css.personSection} aria-labelledby="person-groups">
      <h2 id="person-groups">{t('Groups')}</h2>
      {groups.length === 0 && <p className="soft">{t('Not in any group.')}</p>}
      <ul className={css.personList}>
        {groups.map((group) => (
          <li key={group.id}>
            <Link to="/organization/$section" params={{ section: 'groups' }} search={{ group: group.id }}>
              {group.name}
            </Link>
            {group.members.includes(person.user_id) && mayRemoveFrom(organization, group) && (
              <Button
                kind="quiet"
                aria-label={t('Remove from {name}', { name: group.name })}
                icon={<X className="icon" aria-hidden="true" />}
                isPending={isPending && variables.group.id === group.id}
                onPress={() => mutate({ group, isAdded: false })}
              />
            )}
          </li>
        ))}
      </ul>
      {offered.length > 0 && (
        <ComboField
          key={offered.length}
          label={t('Add to a group')}
          value={null}
          opensOnFocus
          options={offered.map(({ id, name }) => ({ id, label: name }))}
          onChoose={(id) => {
            const group = offered.find((one) => one.id === id)
            if (group !== undefined) mutate({ group, isAdded: true })
          }}
        />
      )}
    </section>
  )
}

type Change = { group: Group; isAdded: boolean }

/** Adds the user to a group, or removes the user from it. A toast offers to undo the change. */
function useMembershipChange({ user_id, full_name }: Person) {
  const change = ({ group: { id: user_group_id }, isAdded }: Change) =>
    call('POST /user_groups/{user_group_id}/members', {
      user_group_id,
      ...(isAdded ? { add: [user_id] } : { delete: [user_id] }),
    })
  const showError = (error: Error) => showToast(toAppError(error).message, { kind: 'error' })
  return useMutation({
    mutationFn: change,
    onSuccess: (_, { group, isAdded }) =>
      showToast(
        isAdded
          ? t('{who} added to {group}', { who: full_name, group: group.name })
          : t('{who} removed from {group}', { who: full_name, group: group.name }),
        { undo: () => void change({ group, isAdded: !isAdded }).catch(showError) },
      ),
    onError: showError,
  })
}
