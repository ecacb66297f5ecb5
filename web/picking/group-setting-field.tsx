import { type ReactNode, useState } from 'react'
import { useSavedValue } from '../forms/saved-value.ts'
import { SettingRow } from '../forms/setting-row.tsx'
import type { GroupSetting } from '../store/membership.ts'
import { type Organization, useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { SelectField } from '../ui/select-field.tsx'
import * as css from './group-setting-field.module.css'
import { Picker } from './picker.tsx'
import { type PickerChoice, pickedAddresses } from './picker-choices.ts'
import { CHOSEN, type SettingValue, settingOptions, toGroupSetting, toPicks, toSettingValue } from './setting-values.ts'

type Rule = Organization['server_supported_permission_settings']['stream'][string]

/**
 * The row of a permission setting. A single group is saved on change. Specific users and groups are saved with a
 * button.
 */
export function GroupSettingField(props: {
  /** The name by which links find the setting. */
  id: string
  label: string
  hint?: string | undefined
  present: GroupSetting
  rule: Rule
  save: (setting: GroupSetting) => Promise<unknown>
}): ReactNode {
  const { id, label, hint, present, rule } = props
  const organization = useOrganization()
  const [choices, choose] = useState<readonly PickerChoice[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const { change, undo, state, error, reset } = useSavedValue(present, props.save, { onSaved: () => choose(null) })
  const isChosen = choices !== null || typeof present !== 'number'
  const shown = choices ?? toPicks(organization, present)

  function edit(next: readonly PickerChoice[] | null) {
    reset()
    setProblem(null)
    choose(next)
  }

  function take(value: SettingValue) {
    edit(value === CHOSEN ? toPicks(organization, present) : null)
    if (value !== CHOSEN && value !== toSettingValue(present)) change(Number(value.slice('group:'.length)))
  }

  function save() {
    const unknown = pickedAddresses(shown)
    if (unknown.length > 0) setProblem(t('Fix or remove unknown people: {names}', { names: unknown.join(', ') }))
    else change(toGroupSetting(organization, shown))
  }

  return (
    <SettingRow id={id} label={label} state={state} undo={choices === null ? undo : null}>
      <SelectField
        label={label}
        value={isChosen ? CHOSEN : toSettingValue(present)}
        options={settingOptions(organization, rule)}
        description={hint}
        error={problem ?? error}
        onChange={take}
      />
      {isChosen && (
        <div className={css.permissionChosen}>
          <Picker
            label={t('People and groups: {label}', { label })}
            offered={{ groups: 'named', channels: false }}
            picks={shown}
            onChange={edit}
          />
          {choices !== null && (
            <div className="row">
              <Button kind="primary" isPending={state === 'saving'} onPress={save}>
                {t('Save')}
              </Button>
              <Button onPress={() => edit(null)}>{t('Cancel')}</Button>
            </div>
          )}
        </div>
      )}
    </SettingRow>
  )
}
