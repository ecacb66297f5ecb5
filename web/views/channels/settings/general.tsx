import type { ReactNode } from 'react'
import { isOwner } from '#rules/role.ts'
import { call } from '../../../api/call.ts'
import { findOwnAccount, useOrganization } from '../../../store/organization.ts'
import { rich } from '../../../text/rich.ts'
import { t } from '../../../text/t.ts'
import { Notice } from '../../../ui/feedback/notice.tsx'
import { Time } from '../../../ui/time/time.tsx'
import { AutosaveField } from '../../settings/autosave-field.tsx'
import { ChannelAbout } from '../channel-about.tsx'
import type { ListedChannel } from '../listing.ts'
import { mayAdminister } from '../rights.ts'
import { Archiving } from './archiving.tsx'
import { Retention } from './retention.tsx'

/** Name, description and archiving of a channel. */
export function General({ known: { channel } }: { known: ListedChannel }): ReactNode {
  const organization = useOrganization()
  const mayChange = mayAdminister(organization, channel)
  const { stream_id } = channel
  const user = findOwnAccount(organization)
  const mayChangeRetention = mayChange && user !== undefined && isOwner(user)
  const creator = organization.realm_users.find(({ user_id }) => user_id === channel.creator_id)
  return (
    <div className="stack">
      {channel.is_archived && (
        <Notice kind="warn" title={t('This channel is archived')}>
          <p>{t('Subscribers can still read its messages. No one can post.')}</p>
        </Notice>
      )}
      <section className="settings-group settings-form" aria-label={t('Channel')}>
        {mayChange && (
          <>
            <AutosaveField
              label={t('Name')}
              value={channel.name}
              check={(value) => (value.trim() === '' ? t('Enter a name.') : null)}
              save={(value) => rename(stream_id, channel.name, value.trim())}
            />
            <AutosaveField
              label={t('Description')}
              value={channel.description}
              description={t('Describes the channel to people who browse channels.')}
              save={(value) => call('PATCH /streams/{stream_id}', { stream_id, description: value.trim() })}
            />
          </>
        )}
        {mayChangeRetention && <Retention channel={channel} />}
        <dl className="channel-facts">
          {!mayChange && (
            <div>
              <dt>{t('Name')}</dt>
              <dd>{channel.name}</dd>
            </div>
          )}
          {!mayChange && (
            <div>
              <dt>{t('Description')}</dt>
              <dd>{channel.description === '' ? t('None') : <ChannelAbout channel={channel} />}</dd>
            </div>
          )}
          <div>
            <dt>{t('Created')}</dt>
            <dd>
              {creator === undefined ? (
                <Time at={channel.date_created} as="absolute" />
              ) : (
                rich('{time} by {name}', {
                  time: <Time at={channel.date_created} as="absolute" />,
                  name: creator.full_name,
                })
              )}
            </dd>
          </div>
        </dl>
      </section>
      {mayChange && <Archiving channel={channel} />}
    </div>
  )
}

/** Renames a channel. An unchanged name is not sent, since the server would refuse it. */
async function rename(stream_id: number, before: string, new_name: string): Promise<unknown> {
  return new_name === before ? {} : call('PATCH /streams/{stream_id}', { stream_id, new_name })
}
