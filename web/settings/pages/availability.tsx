import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, call } from '../../api/call.ts'
import { SettingsGroup } from '../../forms/setting-row.tsx'
import * as css from '../../forms/settings.module.css'
import { PauseDialog } from '../../people/pause-dialog.tsx'
import { EndTime } from '../../scheduling/end-time.tsx'
import { toAppError } from '../../store/app-error.ts'
import { updateOrganization, useOrganization } from '../../store/organization.ts'
import { presenceQuery } from '../../store/presence.ts'
import { queryClient } from '../../store/query-client.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Avatar, PresenceDot, type PresenceKind } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { RadioCards } from '../../ui/field.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { Time } from '../../ui/time.tsx'
import { SettingField } from '../setting-field.tsx'

const CHOICES = [
  {
    id: 'share',
    label: t('Show my availability'),
    hint: t('Others see whether you’re active, idle or offline.'),
    icon: <PresenceDot kind="active" />,
  },
  {
    id: 'hide',
    label: t('Hide my availability'),
    hint: t('You appear offline, and others don’t see when you were last active.'),
    icon: <PresenceDot kind="hidden" />,
  },
]

/** The availability setting, with a preview of the user's availability as others see it. */
export function Availability(): ReactNode {
  const { user_settings, realm_presence_disabled: isOffForAll } = useOrganization(
    'user_settings',
    'realm_presence_disabled',
  )
  const { presence_enabled, presence_hidden_until: until } = user_settings
  const [isAsking, ask] = useState(false)
  const { mutate, error } = useMutation({
    mutationFn: (isShared: boolean) => call('PATCH /settings', { presence_enabled: isShared }),
    onMutate: (isShared) => setShared(isShared),
    onError: (_, isShared) => setShared(!isShared),
    onSettled: () => queryClient.invalidateQueries({ queryKey: presenceQuery.queryKey }),
  })
  return (
    <div className="stack">
      {isOffForAll && (
        <Notice title={t('Availability is turned off')}>
          <p>{t('Your organization hides everyone’s availability.')}</p>
        </Notice>
      )}
      {error !== null && <ErrorNotice title={t('Couldn’t save the change')} error={toAppError(error)} />}
      <section className={css.availabilityChoice} aria-label={t('Availability')} data-setting="presence_enabled">
        <RadioCards
          label={t('Your availability')}
          value={presence_enabled ? 'share' : 'hide'}
          onChange={(choice) => mutate(choice === 'share')}
          cards={CHOICES}
          isDisabled={isOffForAll === true}
        />
        {!isOffForAll && (
          <div className="row" data-setting="presence_hidden_until">
            {until > 0 && <span>{rich('Hidden until {time}', { time: <EndTime at={until} /> })}</span>}
            <Button onPress={() => ask(true)}>{until > 0 ? t('Change…') : t('Hide for a while…')}</Button>
          </div>
        )}
        <SeenByOthers />
      </section>
      <SettingsGroup title={t('Typing indicators')}>
        <SettingField name="send_private_typing_notifications" />
        <SettingField name="send_stream_typing_notifications" />
        <SettingField name="receives_typing_notifications" />
      </SettingsGroup>
      <Reading />
      {isAsking && <PauseDialog pausing="availability" onClose={() => ask(false)} />}
    </div>
  )
}

/** The setting about read receipts, and whether the organization shows them. */
function Reading(): ReactNode {
  const { realm_enable_read_receipts: isShown } = useOrganization('realm_enable_read_receipts')
  return (
    <SettingsGroup title={t('Read receipts')}>
      <SettingField name="send_read_receipts" />
      {!isShown && <p className="soft">{t('Read receipts are disabled in this organization.')}</p>}
    </SettingsGroup>
  )
}

const setShared = (presence_enabled: boolean) =>
  updateOrganization(({ user_settings }) => ({
    user_settings: { ...user_settings, presence_enabled, presence_hidden_until: 0 },
  }))

type Seen = AnswerOf<'GET /users/me/presence/as_seen'>['presence']

function SeenByOthers(): ReactNode {
  const { user_id, full_name, avatar_url_medium } = useOrganization('user_id', 'full_name', 'avatar_url_medium')
  const { data, error, refetch } = useQuery(presenceQuery)
  return (
    <section className={css.seen} aria-labelledby="seen-title">
      <h2 id="seen-title" className={css.seenTitle}>
        {t('How others see you')}
      </h2>
      {error !== null ? (
        <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading label={t('Loading availability')} lines={1} />
      ) : (
        <div className={css.seenPerson} role="status">
          <Avatar id={user_id} name={full_name} url={avatar_url_medium} />
          <div>
            <b>{full_name}</b>
            <p className={`row ${css.seenLine}`}>
              <PresenceDot kind={kindOf(data.presence)} /> <Words seen={data.presence} />
            </p>
          </div>
        </div>
      )}
      <p className="soft small">{t('Your availability as others see it.')}</p>
    </section>
  )
}

const kindOf = (seen: Seen): PresenceKind => seen?.aggregated.status ?? 'offline'

function Words({ seen }: { seen: Seen }): ReactNode {
  if (seen === null) return t('Offline')
  const { status, timestamp } = seen.aggregated
  if (status === 'active') return t('Active')
  const when = <Time at={timestamp} as="ago" />
  return status === 'idle' ? (
    <span>{rich('Idle, last active {when}', { when })}</span>
  ) : (
    <span>{rich('Offline, last active {when}', { when })}</span>
  )
}
