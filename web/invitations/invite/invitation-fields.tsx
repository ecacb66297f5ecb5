import { type ReactNode, useEffect, useRef } from 'react'
import { Role } from '#rules/role.ts'
import { ROLES } from '../../store/people.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { ComboField } from '../../ui/combo-field.tsx'
import { CheckboxField, TextField } from '../../ui/field.tsx'
import { useMinute } from '../../ui/moments.ts'
import { PickedTags } from '../../ui/picked-tags.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { absoluteTime } from '../../ui/time.tsx'
import { type InvitationChoices, type InvitationDraft, LIFETIMES, lifetimeMinutes } from '../invitation-draft.ts'
import * as css from '../invite-dialog.module.css'

type Props = {
  choices: InvitationChoices
  offer: InvitationDraft
  onChange: (offer: InvitationDraft) => void
  daysError: string | null
}

/** The fields of an invitation: role, expiry, channels and groups. */
export function InvitationFields({ choices, offer, onChange, daysError }: Props): ReactNode {
  const role = ROLES.find(({ id }) => id === offer.role)
  return (
    <>
      <div className={css.inviteColumns}>
        <SelectField
          label={t('Role')}
          value={offer.role}
          onChange={(role) => onChange({ ...offer, role })}
          options={ROLES.filter(({ id }) => choices.roles.includes(id))}
          description={offer.role === Role.guest ? <GuestHint offer={offer} choices={choices} /> : role?.hint}
        />
        <div className="stack" style={{ '--gap': '0.5rem' } as object}>
          <SelectField
            label={t('Expires after')}
            value={offer.lifetime}
            onChange={(lifetime) => onChange({ ...offer, lifetime })}
            options={[...LIFETIMES, { id: 'custom', label: t('Custom') }, { id: 'never', label: t('Never') }]}
            description={<Expiry offer={offer} />}
          />
          {offer.lifetime === 'custom' && (
            <TextField
              label={t('Days')}
              name="days"
              inputMode="decimal"
              value={offer.days}
              error={daysError}
              onChange={(days) => onChange({ ...offer, days })}
            />
          )}
        </div>
      </div>
      <ChannelFields choices={choices} offer={offer} onChange={onChange} />
      {choices.groups.length > 0 && (
        <Picker
          label={t('Groups')}
          placeholder={t('Add a group')}
          all={choices.groups}
          picked={offer.groupIds}
          onChange={(groupIds) => onChange({ ...offer, groupIds })}
        />
      )}
      <CheckboxField isSelected={offer.notifies} onChange={(notifies) => onChange({ ...offer, notifies })}>
        {t('Message me when they join')}
      </CheckboxField>
    </>
  )
}

function GuestHint({ offer, choices }: { offer: InvitationDraft; choices: InvitationChoices }): ReactNode {
  const count = offer.channelIds.length + (offer.includesDefaults ? choices.default_channels.length : 0)
  return t(
    'Guests see only the {count, plural, one {# channel} other {# channels}} you choose below, and the people there.',
    {
      count,
    },
  )
}

function Expiry({ offer }: { offer: InvitationDraft }): ReactNode {
  const now = useMinute()
  const minutes = lifetimeMinutes(offer)
  if (minutes === null) return t('Valid until revoked. Anyone who finds it later can use it.')
  return minutes === undefined ? undefined : t('Expires {time}', { time: absoluteTime(now + minutes * 60) })
}

function ChannelFields({ choices, offer, onChange }: Omit<Props, 'daysError'>): ReactNode {
  const { default_channels: defaults, channels } = choices
  const others = channels.filter(({ id }) => !(offer.includesDefaults && defaults.some((one) => one.id === id)))
  return (
    <fieldset className={css.inviteChannels}>
      <legend className="field-label">{t('Channels')}</legend>
      {defaults.length > 0 && (
        <CheckboxField
          isSelected={offer.includesDefaults}
          onChange={(includesDefaults) => onChange({ ...offer, includesDefaults })}
        >
          {rich('Default channels ({count}): <soft>{names}</soft>', {
            count: defaults.length,
            soft: (children) => <span className="soft">{children}</span>,
            names: defaults.map(({ name }) => name).join(', '),
          })}
        </CheckboxField>
      )}
      {channels.length === 0 ? (
        <p className="soft small">
          {t('You can’t add people to other channels. Someone with permission can do it later.')}
        </p>
      ) : others.length === 0 ? (
        <p className="soft small">{t('There are no other channels.')}</p>
      ) : (
        <Picker
          label={t('Other channels')}
          placeholder={t('Add a channel')}
          all={others}
          picked={offer.channelIds.filter((id) => others.some((one) => one.id === id))}
          onChange={(channelIds) => onChange({ ...offer, channelIds })}
        />
      )}
    </fieldset>
  )
}

/** A field to pick several entries. */
function Picker(props: {
  label: string
  placeholder: string
  all: readonly { id: number; name: string }[]
  picked: readonly number[]
  onChange: (picked: readonly number[]) => void
}): ReactNode {
  const { label, placeholder, all, picked, onChange } = props
  const rest = all.filter(({ id }) => !picked.includes(id))
  const field = useRef<HTMLDivElement>(null)
  const goesOn = useRef(false)
  useEffect(() => {
    if (goesOn.current) field.current?.querySelector('input')?.focus()
    goesOn.current = false
  }, [picked])
  return (
    <div className="stack" style={{ '--gap': '0.5rem' } as object} ref={field}>
      <ComboField
        // A new field after each choice, so that picked entries are no longer offered.
        key={rest.length}
        label={label}
        placeholder={rest.length === 0 ? t('All selected') : placeholder}
        value={null}
        // After a choice, an open list would cover the rest of the form.
        opensOnFocus={picked.length === 0}
        onChoose={(id: number) => {
          goesOn.current = true
          onChange([...picked, id])
        }}
        options={rest.map(({ id, name }) => ({ id, label: name }))}
      />
      {picked.length > 0 && (
        <PickedTags
          label={t('{label}, selected', { label })}
          isLabelHidden
          tags={all.filter(({ id }) => picked.includes(id)).map(({ id, name }) => ({ id, label: name }))}
          onRemove={(removed) => onChange(picked.filter((id) => !removed.has(id)))}
        />
      )}
    </div>
  )
}
