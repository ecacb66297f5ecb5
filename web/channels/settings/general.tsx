import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { isOwner } from '#rules/role.ts'
import { call } from '../../api/call.ts'
import { AutosaveField } from '../../forms/autosave-field.tsx'
import { useSavedValue } from '../../forms/saved-value.ts'
import { SaveLine, SettingsEnd } from '../../forms/setting-row.tsx'
import * as settingsCss from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { isInSetting } from '../../store/membership.ts'
import { type Channel, findOwnAccount, findPerson, useOrganization } from '../../store/organization.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import { mayAdminister } from '../channel.ts'
import { ChannelAbout } from '../channel-about.tsx'
import * as css from '../channel-settings.module.css'
import type { ListedChannel } from '../listing.ts'

/**
 * Archives a channel after a confirmation, or restores an archived channel. Both actions share one button, which keeps
 * the focus.
 */
function Archiving({ channel: { stream_id, name, is_archived: isArchived } }: { channel: Channel }): ReactNode {
  const [isAsking, ask] = useState(false)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (archives: boolean): Promise<unknown> =>
      archives
        ? call('DELETE /streams/{stream_id}', { stream_id })
        : call('PATCH /streams/{stream_id}', { stream_id, is_archived: false }),
    onSuccess(_, archives) {
      ask(false)
      showToast(archives ? t('#{name} archived', { name }) : t('#{name} is no longer archived', { name }))
    },
  })

  function press() {
    reset()
    if (isArchived) mutate(false)
    else ask(true)
  }

  return (
    <SettingsEnd
      title={isArchived ? t('Unarchive channel') : t('Archive channel')}
      about={
        isArchived
          ? t('Its subscribers see it in their sidebars again, and can post.')
          : t('For channels you no longer need. Messages are kept.')
      }
    >
      <Button isPending={isPending && isArchived} onPress={press}>
        {isArchived ? t('Unarchive {name}', { name }) : t('Archive {name}…', { name })}
      </Button>
      {isArchived && error !== null && (
        <ErrorNotice title={t('Couldn’t unarchive the channel')} error={toAppError(error)} />
      )}
      {isAsking && (
        <Dialog title={t('Archive #{name}?', { name })} role="alertdialog" isOpen onClose={() => ask(false)}>
          <div className="dialog-body">
            {error !== null && <ErrorNotice title={t('Couldn’t archive the channel')} error={toAppError(error)} />}
            <p>
              {t(
                'No one can post in it, and it disappears from everyone’s sidebar. Its messages stay readable and searchable. New users aren’t added to it, and announcements are no longer posted there.',
              )}
            </p>
          </div>
          <DialogActions>
            <Button onPress={() => ask(false)}>{t('Cancel')}</Button>
            <Button kind="danger" isPending={isPending} onPress={() => mutate(true)}>
              {t('Archive channel')}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </SettingsEnd>
  )
}

const EmailDialog = lazyPart(async () => (await import('./email-dialog.tsx')).EmailDialog)

/** The button that shows the user's email address of the channel. */
function EmailAddress({ channel }: { channel: Channel }): ReactNode {
  const [isOpen, open] = useState(false)
  return (
    <SettingsEnd title={t('Email address')} about={t('Emails to an address of the channel become messages in it.')}>
      <Button onPress={() => open(true)}>{t('Get an email address…')}</Button>
      {isOpen && <EmailDialog channel={channel} onClose={() => open(false)} />}
    </SettingsEnd>
  )
}

const DEFAULT = 0
const FOREVER = -1
const DAYS = [30, 90, 365]

/**
 * The setting for how long a channel keeps its messages. Only owners can change it, and a shorter period needs a
 * confirmation.
 */
function Retention({ channel }: { channel: Channel }): ReactNode {
  const { stream_id, name } = channel
  const { realm_message_retention_days: usual } = useOrganization('realm_message_retention_days')
  const value = channel.message_retention_days ?? DEFAULT
  const [asked, ask] = useState<{ days: number; run: () => void } | null>(null)
  const { change, undo, state, error } = useSavedValue(
    value,
    (days) => call('PATCH /streams/{stream_id}', { stream_id, message_retention_days: toParameter(days) }),
    { scope: `retention of ${stream_id}` },
  )
  const daysOf = (chosen: number) => (chosen === DEFAULT ? usual : chosen)
  const options = [...new Set([DEFAULT, ...DAYS, FOREVER, value])].map((id) => ({
    id,
    label: id === DEFAULT ? t('Organization default: {period}', { period: periodName(usual) }) : periodName(id),
  }))

  function confirm(days: number, run: () => void) {
    if (isShorter(daysOf(days), daysOf(value))) ask({ days, run })
    else run()
  }

  return (
    <div className="stack" style={{ '--gap': '0.25rem' } as object}>
      <SelectField
        label={t('Message retention')}
        description={t('Older messages are permanently deleted for everyone.')}
        value={value}
        options={options}
        error={error}
        onChange={(days) => confirm(days, () => change(days))}
      />
      <SaveLine
        label={t('Message retention')}
        state={state}
        undo={undo && { ...undo, run: () => confirm(undo.to, undo.run) }}
      />
      {asked !== null && (
        <Dialog
          title={t('Delete older messages in #{name}?', { name })}
          role="alertdialog"
          isOpen
          onClose={() => ask(null)}
        >
          <div className="dialog-body">
            <p>
              {t(
                'Messages older than {days, plural, one {# day} other {# days}} will be permanently deleted for everyone.',
                { days: daysOf(asked.days) },
              )}
            </p>
          </div>
          <DialogActions>
            <Button onPress={() => ask(null)}>{t('Cancel')}</Button>
            <Button
              kind="danger"
              onPress={() => {
                asked.run()
                ask(null)
              }}
            >
              {t('Delete older messages')}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}

/** Returns the API parameter. Text is encoded as JSON, because the parameter also accepts numbers. */
const toParameter = (days: number): number | string =>
  days === DEFAULT ? '"realm_default"' : days === FOREVER ? '"unlimited"' : days

const isShorter = (days: number, before: number): boolean => days > 0 && (before < 0 || days < before)

const periodName = (days: number): string =>
  days < 0 ? t('Forever') : t('{days, plural, one {# day} other {# days}}', { days })

/** Name, description and archiving of a channel. */
export function General({ known: { channel } }: { known: ListedChannel }): ReactNode {
  const organization = useOrganization()
  const mayChange = mayAdminister(organization, channel)
  const { stream_id } = channel
  const user = findOwnAccount(organization)
  const mayChangeRetention = mayChange && user !== undefined && isOwner(user)
  const mayHaveAddress =
    organization.server_receives_email === true &&
    !channel.is_archived &&
    isInSetting(organization.realm_user_groups, organization.user_id, channel.can_send_message_group)
  const creator = findPerson(organization, channel.creator_id ?? 0)
  return (
    <div className="stack">
      {channel.is_archived && (
        <Notice kind="warn" title={t('This channel is archived')}>
          <p>{t('Subscribers can still read its messages. No one can post.')}</p>
        </Notice>
      )}
      <section className={`${settingsCss.settingsGroup} ${settingsCss.settingsForm}`} aria-label={t('Channel')}>
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
        <dl className={css.channelFacts}>
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
      {mayHaveAddress && <EmailAddress channel={channel} />}
      {mayChange && <Archiving channel={channel} />}
    </div>
  )
}

/** Renames a channel. An unchanged name is not sent, since the server would refuse it. */
async function rename(stream_id: number, before: string, new_name: string): Promise<unknown> {
  return new_name === before ? {} : call('PATCH /streams/{stream_id}', { stream_id, new_name })
}
