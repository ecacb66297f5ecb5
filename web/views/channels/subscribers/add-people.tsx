import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { type Channel, useOrganization } from '../../../store/organization.ts'
import { addSubscribers } from '../../../store/people/subscribers.ts'
import { t } from '../../../text/t.ts'
import { AddPicked } from '../../picking/add-picked.tsx'
import { type PickerChoice, pickedPeople } from '../../picking/picker-choices.ts'

/** Adds users, groups and the subscribers of other channels to a channel. */
export function AddPeople({ channel, present }: { channel: Channel; present: ReadonlySet<number> }): ReactNode {
  const { stream_id, name } = channel
  const organization = useOrganization()

  async function add(picks: readonly PickerChoice[], inChannels: readonly number[]): Promise<string> {
    const all = pickedPeople(organization, picks, inChannels)
    const missing = all.filter((id) => !present.has(id))
    if (missing.length > 0)
      await call('POST /users/me/subscriptions', { subscriptions: [{ name }], principals: missing })
    addSubscribers([stream_id], missing)
    return added(missing.length, all.length - missing.length, name)
  }

  return (
    <AddPicked
      storageKey={`channels.add.${stream_id}`}
      title={t('Add people')}
      label={t('Add people')}
      description={t('People, groups, or the subscribers of another channel. You can paste email addresses.')}
      action={t('Add to #{name}', { name })}
      without={present}
      add={add}
    />
  )
}

function added(count: number, there: number, name: string): string {
  if (count === 0) return t('Everyone you picked is already in #{name}', { name })
  return there === 0
    ? t('{count, plural, one {# person} other {# people}} added to #{name}', { count, name })
    : t(
        '{count, plural, one {# person} other {# people}} added to #{name}; {there, plural, one {# was} other {# were}} already subscribed',
        { count, name, there },
      )
}
