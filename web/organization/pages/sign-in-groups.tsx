import { useMutation } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { type ReactNode, useRef, useState } from 'react'
import { Role } from '#rules/role.ts'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { ROLES } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './sign-in.module.css'
import { refreshProviders, type SignInProvider } from './sign-in-form.tsx'

/** The role or user group that a group of the provider gives: its kind and its name. */
type Target = `role:${string}` | `group:${string}`

type Rule = { key: number; group: string; target: Target | null }

/** The roles that providers of owners can give, by their names in the declaration. */
const ROLE_NAMES = new Map<number, string>([
  [Role.administrator, 'administrator'],
  [Role.moderator, 'moderator'],
  [Role.member, 'member'],
  [Role.guest, 'guest'],
])

function rulesOf({ settings }: SignInProvider): Rule[] {
  const entriesOf = (name: string) => Object.entries((settings[name] ?? {}) as Record<string, string>)
  const targets: [string, Target][] = [
    ...entriesOf('roles').map(([group, role]): [string, Target] => [group, `role:${role}`]),
    ...entriesOf('groups').map(([group, name]): [string, Target] => [group, `group:${name}`]),
  ]
  return targets.map(([group, target], key) => ({ key, group, target }))
}

/** Returns the mapping of one kind as the declaration has it. */
function mappingOf(rules: readonly Rule[], kind: 'role' | 'group'): Record<string, string> | undefined {
  const entries = rules.flatMap(({ group, target }) =>
    target?.startsWith(`${kind}:`) ? [[group.trim(), target.slice(kind.length + 1)] as const] : [],
  )
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Returns what is wrong with a rule; null if nothing is. */
function problemOf({ group, target }: Rule, others: readonly Rule[]): string | null {
  if (group.trim() === '') return t('Enter the name of the group at the provider.')
  if (target === null) return t('Choose what the group gives.')
  const kind = target.slice(0, target.indexOf(':'))
  const isTwice = others.some((other) => other.group.trim() === group.trim() && other.target?.startsWith(`${kind}:`))
  return isTwice ? t('A group can give one role and one user group.') : null
}

/** Says which roles and user groups the groups of a provider give. */
export function ProviderGroupsDialog(props: { provider: SignInProvider; onClose: () => void }): ReactNode {
  const { provider, onClose } = props
  const [claim, setClaim] = useState(String(provider.settings['groups_claim'] ?? 'groups'))
  const [rules, setRules] = useState(() => rulesOf(provider))
  const [added, setAdded] = useState<number | null>(null)
  const [isChecked, setChecked] = useState(false)
  const list = useRef<HTMLFieldSetElement>(null)
  const options = useTargets(rules)
  const { mutate, isPending, error, reset } = useMutation({
    async mutationFn() {
      const isEmpty = rules.length === 0
      const settings = {
        ...provider.settings,
        groups_claim: isEmpty ? undefined : claim.trim(),
        roles: mappingOf(rules, 'role'),
        groups: mappingOf(rules, 'group'),
      }
      const given = { provider: settings, client_secret: '' }
      await call('PATCH /realm/sign_in_providers/{provider_id}', { provider_id: provider.id, ...given })
      await refreshProviders()
    },
    onSuccess() {
      showToast(t('Groups and roles saved'))
      onClose()
    },
  })
  const isClaimMissing = rules.length > 0 && claim.trim() === ''
  const othersOf = (rule: Rule) => rules.filter((one) => one !== rule)

  function change(changed: readonly Rule[]) {
    setRules([...changed])
    reset()
  }

  function add() {
    const key = Math.max(-1, ...rules.map((rule) => rule.key)) + 1
    setAdded(key)
    change([...rules, { key, group: '', target: null }])
  }

  function remove(rule: Rule) {
    change(othersOf(rule))
    list.current?.focus()
  }

  function submit() {
    setChecked(true)
    if (!isClaimMissing && rules.every((rule) => problemOf(rule, othersOf(rule)) === null)) mutate()
  }

  return (
    <Dialog
      title={t('Groups and roles of {name}', { name: provider.name })}
      isOpen
      onClose={onClose}
      ignoresClicksOutside
    >
      <DialogForm action={t('Save')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {error !== null && <ErrorNotice title={t('Couldn’t save the groups')} error={toAppError(error)} />}
        <p>
          {t(
            'At each sign-in, people get the highest role of their groups, and join and leave exactly the user groups that are named here. Owners stay owners.',
          )}
        </p>
        <fieldset ref={list} className={css.rules} tabIndex={-1}>
          <legend className="visually-hidden">{t('Groups at the provider')}</legend>
          {rules.map((rule, at) => {
            const problem = isChecked ? problemOf(rule, othersOf(rule)) : null
            return (
              <div key={rule.key} className={css.rule}>
                <TextField
                  label={t('Group at the provider')}
                  autoComplete="off"
                  spellCheck="false"
                  maxLength={200}
                  autoFocus={rule.key === added}
                  value={rule.group}
                  onChange={(group) => change(rules.with(at, { ...rule, group }))}
                />
                <SelectField
                  label={t('Gives')}
                  value={rule.target}
                  options={options}
                  onChange={(target) => change(rules.with(at, { ...rule, target }))}
                />
                <IconButton
                  label={t('Remove group {value}', { value: at + 1 })}
                  icon={X}
                  onPress={() => remove(rule)}
                />
                {problem !== null && (
                  <p className="field-error" role="alert">
                    {problem}
                  </p>
                )}
              </div>
            )
          })}
          <div>
            <Button icon={<Plus className="icon" aria-hidden="true" />} onPress={add}>
              {t('Add group')}
            </Button>
          </div>
        </fieldset>
        {rules.length > 0 && (
          <TextField
            label={t('Claim with the groups')}
            autoComplete="off"
            spellCheck="false"
            maxLength={100}
            value={claim}
            error={isChecked && isClaimMissing ? t('Enter the name of the claim.') : null}
            description={t('The claim in which the provider lists the groups of a person, such as “groups”.')}
            onChange={(value) => {
              setClaim(value)
              reset()
            }}
          />
        )}
      </DialogForm>
    </Dialog>
  )
}

/** Returns what a group can give: the roles, the user groups, and user groups that are gone but still named. */
function useTargets(rules: readonly Rule[]): { id: Target; label: string; hint?: string }[] {
  const { realm_user_groups } = useOrganization('realm_user_groups')
  const roles = ROLES.flatMap(({ id, label }) => {
    const name = ROLE_NAMES.get(id)
    return name === undefined ? [] : [{ id: `role:${name}` as const, label: t('Role: {name}', { name: label }) }]
  })
  const names = realm_user_groups
    .filter((group) => !group.is_system_group && !group.deactivated)
    .map(({ name }) => name)
    .sort((one, other) => one.localeCompare(other))
  const gone = rules.flatMap(({ target }) =>
    target?.startsWith('group:') && !names.includes(target.slice(6)) ? [target.slice(6)] : [],
  )
  return [
    ...roles,
    ...names.map((name) => ({ id: `group:${name}` as const, label: t('User group: {name}', { name }) })),
    ...[...new Set(gone)].map((name) => ({
      id: `group:${name}` as const,
      label: t('User group: {name}', { name }),
      hint: t('There is no such user group.'),
    })),
  ]
}
