import { type ReactNode, useState } from 'react'
import { isOwner, OWNER_ONLY_SETTINGS } from '#rules/role.ts'
import { call } from '../../api/call.ts'
import { LANGUAGES } from '../../composer/languages.ts'
import { type SaveState, type SettingUndo, useSavedValue } from '../../forms/saved-value.ts'
import { SettingRow } from '../../forms/setting-row.tsx'
import { Check } from '../../settings/setting-field.tsx'
import { toAppError } from '../../store/app-error.ts'
import { findOwnAccount, type Organization, updateOrganization, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { ComboField } from '../../ui/combo-field.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { type Option, SelectField } from '../../ui/select-field.tsx'
import { showToast } from '../../ui/toasts.ts'

type Field = Extract<keyof Organization, `realm_${string}`>

/** Organization settings by their names in the API. */
type SettingName = {
  [Name in Field]: Name extends `realm_${infer Setting}` ? Setting : never
}[Field]

type RealmSetting<Value> = {
  value: Value
  mayChange: boolean
  save: (value: Value) => void
  state: SaveState
  undo: SettingUndo | null
  /** The error of the last change. */
  error: string | null
}

/**
 * Returns an organization setting and a function that saves it. Changes by other users appear immediately, with a
 * notice. `confirm` calls `run` if the change needs no confirmation, or after the user has confirmed it.
 */
export function useRealmSetting<Name extends SettingName>(
  name: Name,
  confirm: (to: Organization[`realm_${Name}`], run: () => void) => void = (_, run) => run(),
): RealmSetting<Organization[`realm_${Name}`]> {
  type Value = Organization[`realm_${Name}`]
  const organization = useOrganization()
  const { change, undo, state, shown, error } = useSavedValue<Value>(
    organization[`realm_${name}`],
    (value) => call('PATCH /realm', { [name]: isUnlimited(name, value) ? UNLIMITED : value }),
    { scope: `organization ${name}`, onSaved: (value) => updateOrganization(() => ({ [`realm_${name}`]: value })) },
  )
  return {
    value: shown,
    mayChange: mayChangeSetting(organization, name),
    save: (to) => confirm(to, () => change(to)),
    state,
    undo: undo && { ...undo, run: () => confirm(undo.to, undo.run) },
    error,
  }
}

/**
 * Returns true if the user may change the setting. Administrators can change most settings, and owners can change all.
 */
export function mayChangeSetting(organization: Organization, name: string): boolean {
  const user = findOwnAccount(organization)
  return (
    organization.is_admin &&
    ((user !== undefined && isOwner(user)) || !(OWNER_ONLY_SETTINGS as readonly string[]).includes(name))
  )
}

/** The text is encoded as JSON, since the parameter also accepts numbers. */
const UNLIMITED = '"unlimited"'

/** The settings for which -1 stands for no limit. */
const UNLIMITED_DAYS: ReadonlySet<string> = new Set(['audit_log_retention_days', 'message_retention_days'])

const isUnlimited = (name: string, value: unknown): boolean =>
  value === null || (UNLIMITED_DAYS.has(name) && value === -1)

const OWNERS_ALONE = t('Only owners can change this.')

const aboutOf = (hint: string | undefined, mayChange: boolean): string | undefined =>
  [hint, !mayChange && OWNERS_ALONE].filter(Boolean).join(' ') || undefined

type BooleanSetting =
  | 'allow_search_engines'
  | 'allow_message_editing'
  | 'avatar_changes_disabled'
  | 'digest_emails_enabled'
  | 'disallow_disposable_email_addresses'
  | 'email_changes_disabled'
  | 'emails_restricted_to_domains'
  | 'enable_guest_user_dm_warning'
  | 'enable_guest_user_indicator'
  | 'enable_read_receipts'
  | 'enable_spectator_access'
  | 'inline_image_preview'
  | 'inline_url_embed_preview'
  | 'invite_required'
  | 'mandatory_topics'
  | 'message_content_allowed_in_email_notifications'
  | 'name_changes_disabled'
  | 'presence_disabled'
  | 'require_unique_names'
  | 'send_channel_removal_notices'
  | 'send_welcome_emails'

/** A checkbox that saves on change. */
export function SavedCheck(props: { name: BooleanSetting; hint?: string; children: string }): ReactNode {
  const { name, hint, children: label } = props
  const { value, mayChange, save, ...last } = useRealmSetting(name)
  return (
    <SettingRow id={name} label={label} {...last}>
      <Check
        label={label}
        about={aboutOf(hint, mayChange)}
        isSelected={value}
        isDisabled={!mayChange}
        onChange={save}
      />
    </SettingRow>
  )
}

type Confirmation = { title: string; text: ReactNode; action: string }

/** Returns the confirmation of a change that can't be undone or that hits others at once; null if it needs none. */
type Ask<Value> = (chosen: Value, present: Value) => Confirmation | null | Promise<Confirmation | null>

/** An organization setting as `useRealmSetting` returns it, with the dialog that confirms its changes. */
function useConfirmedSetting<Name extends SettingName>(
  name: Name,
  ask: Ask<Organization[`realm_${Name}`]> | undefined,
): RealmSetting<Organization[`realm_${Name}`]> & { dialog: ReactNode } {
  const [asked, setAsked] = useState<{ run: () => void; confirmation: Confirmation } | null>(null)
  const setting = useRealmSetting(name, (chosen, run) => void confirm(chosen, run))

  async function confirm(chosen: Organization[`realm_${Name}`], run: () => void) {
    try {
      const confirmation = (await ask?.(chosen, setting.value)) ?? null
      if (confirmation === null) run()
      else setAsked({ run, confirmation })
    } catch (error) {
      showToast(toAppError(error).message, { kind: 'error' })
    }
  }

  const dialog = asked !== null && (
    <Dialog title={asked.confirmation.title} role="alertdialog" isOpen onClose={() => setAsked(null)}>
      <div className="dialog-body">
        <p>{asked.confirmation.text}</p>
      </div>
      <DialogActions>
        <Button onPress={() => setAsked(null)}>{t('Cancel')}</Button>
        <Button
          kind="danger"
          onPress={() => {
            asked.run()
            setAsked(null)
          }}
        >
          {asked.confirmation.action}
        </Button>
      </DialogActions>
    </Dialog>
  )
  return { ...setting, dialog }
}

type Limit =
  | 'message_content_edit_limit_seconds'
  | 'message_content_delete_limit_seconds'
  | 'move_messages_within_stream_limit_seconds'
  | 'move_messages_between_streams_limit_seconds'
  | 'audit_log_retention_days'
  | 'digest_weekday'
  | 'message_retention_days'
  | 'second_factor_grace_days'
  | 'session_idle_minutes'
  | 'session_lifetime_minutes'
  | 'waiting_period_threshold'

/** A choice of numbers that saves on change. If the current value is not among the options, it is added. */
export function SavedNumber(props: {
  name: Limit
  label: string
  hint?: string
  options: readonly { value: number | null; label: string }[]
  /** Returns the label of a value that is not among the options. */
  describe: (value: number) => string
  ask?: Ask<number | null>
}): ReactNode {
  const { name, label, hint, options, describe, ask } = props
  const { value, mayChange, save, error, dialog, ...last } = useConfirmedSetting(name, ask)
  const isListed = options.some((option) => option.value === value)
  const all = isListed || value === null ? options : [{ value, label: describe(value) }, ...options]
  const description = aboutOf(hint, mayChange)
  return (
    <>
      <SettingRow id={name} label={label} {...last}>
        <SelectField
          label={label}
          value={String(value)}
          options={all.map((option) => ({ id: String(option.value), label: option.label }))}
          isDisabled={!mayChange}
          error={error}
          {...(description !== undefined && { description })}
          onChange={(id) => save((id === 'null' ? null : Number(id)) as never)}
        />
      </SettingRow>
      {dialog}
    </>
  )
}

type Policy = 'message_edit_history_visibility_policy' | 'second_factor_required_for'

/** A choice among texts that saves on change. */
export function SavedPolicy<Name extends Policy>(props: {
  name: Name
  label: string
  hint?: string
  options: readonly Option<Organization[`realm_${Name}`]>[]
  ask?: Ask<Organization[`realm_${Name}`]>
}): ReactNode {
  const { name, hint, ask, ...rest } = props
  const { value, mayChange, save, error, dialog, ...last } = useConfirmedSetting(name, ask)
  const description = aboutOf(hint, mayChange)
  return (
    <>
      <SettingRow id={name} label={props.label} {...last}>
        <SelectField
          {...rest}
          value={value}
          isDisabled={!mayChange}
          error={error}
          {...(description !== undefined && { description })}
          onChange={save}
        />
      </SettingRow>
      {dialog}
    </>
  )
}

type ChannelSetting =
  | 'new_stream_announcements_stream_id'
  | 'signup_announcements_stream_id'
  | 'moderation_request_channel_id'

const NO_CHANNEL = -1

/** A choice of a channel that saves on change. */
export function SavedChannel(props: {
  name: ChannelSetting
  label: string
  description: string
  /** True if only private channels can be chosen. */
  isPrivate?: boolean
}): ReactNode {
  const { name, label, description, isPrivate = false } = props
  const { subscriptions, unsubscribed, never_subscribed } = useOrganization(
    'subscriptions',
    'unsubscribed',
    'never_subscribed',
  )
  const { value, save, error, ...last } = useRealmSetting(name)
  const channels = [...subscriptions, ...unsubscribed, ...never_subscribed]
    .filter(
      ({ stream_id, is_archived, invite_only }) => stream_id === value || (!is_archived && invite_only >= isPrivate),
    )
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map((channel) => ({ id: channel.stream_id, label: `#${channel.name}` }))
  const isKnown = value === NO_CHANNEL || channels.some(({ id }) => id === value)
  return (
    <SettingRow id={name} label={label} {...last}>
      <SelectField
        label={label}
        description={description}
        value={value}
        options={[
          { id: NO_CHANNEL, label: t('No channel') },
          ...(isKnown ? [] : [{ id: value, label: t('A channel you can’t see') }]),
          ...channels,
        ]}
        error={error}
        onChange={save}
      />
    </SettingRow>
  )
}

const NO_LANGUAGE = 'none'

/** The setting for the language of code blocks that name no language. It saves on change. */
export function SavedCodeLanguage(): ReactNode {
  const { value, save, error, ...last } = useRealmSetting('default_code_block_language')
  const label = t('Default language for code blocks')
  const languages = [...new Set([...LANGUAGES, ...(value === '' ? [] : [value])])]
  return (
    <SettingRow id="default_code_block_language" label={label} {...last}>
      <ComboField
        label={label}
        description={t('Used for code blocks that don’t specify a language.')}
        value={value === '' ? NO_LANGUAGE : value}
        options={[{ id: NO_LANGUAGE, label: t('None') }, ...languages.map((id) => ({ id, label: id }))]}
        error={error}
        onChoose={(id) => save(id === NO_LANGUAGE ? '' : id)}
      />
    </SettingRow>
  )
}
