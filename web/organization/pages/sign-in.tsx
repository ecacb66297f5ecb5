import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useRef, useState } from 'react'
import { mustHaveSecondFactor } from '#rules/role.ts'
import { call } from '../../api/call.ts'
import { useSavedValue } from '../../forms/saved-value.ts'
import { SettingRow, SettingsGroup } from '../../forms/setting-row.tsx'
import * as settingsCss from '../../forms/settings.module.css'
import { Check } from '../../settings/setting-field.tsx'
import { toAppError } from '../../store/app-error.ts'
import { currentOrganization, type Organization, useOrganization } from '../../store/organization.ts'
import { loadEveryone } from '../../store/people-on-demand.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import type { Option } from '../../ui/select-field.tsx'
import { ConfirmRemovalDialog } from './editable-list.tsx'
import { SavedNumber, SavedPolicy } from './saved-fields.tsx'
import * as css from './sign-in.module.css'
import { ProviderAddressesDialog, ProviderTestDialog } from './sign-in-checks.tsx'
import {
  ProviderDialog,
  type Providers,
  providersQuery,
  refreshProviders,
  type SignInProvider,
} from './sign-in-form.tsx'
import { ProviderGroupsDialog } from './sign-in-groups.tsx'

/** The name of passwords among the methods. */
const PASSWORD = 'Email'

type Methods = Organization['realm_authentication_methods']

function isEnabled(methods: Methods, name: string): boolean {
  const method = methods[name]
  return typeof method === 'object' && method.enabled
}

/** The methods to sign in, the providers that owners add, and the requirement of two-step login. */
export function SignIn(): ReactNode {
  const { data, error, refetch } = useQuery(providersQuery)
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading sign-in methods')} />
  return (
    <>
      <MethodList providers={data.providers} />
      <ProviderList {...data} />
      <TwoStepLogin />
    </>
  )
}

function MethodList({ providers }: Pick<Providers, 'providers'>): ReactNode {
  const { realm_authentication_methods: methods } = useOrganization('realm_authentication_methods')
  const others = Object.keys(methods).filter((name) => name !== PASSWORD)
  const hasOther = others.some((name) => isEnabled(methods, name))
  const hasWorked = providers.some(({ method, has_worked }) => has_worked && isEnabled(methods, method))
  return (
    <section
      className={settingsCss.settingsGroup}
      aria-labelledby="sign-in-methods"
      data-setting="authentication_methods"
    >
      <h2 id="sign-in-methods">{t('Sign-in methods')}</h2>
      <Method
        name={PASSWORD}
        label={t('Password')}
        isLocked={!hasOther}
        about={
          !hasOther
            ? t('Passwords stay on until there is another method.')
            : hasWorked
              ? t('You have signed in with another method, so passwords can be turned off.')
              : t('Before you can turn passwords off, sign in once with another method that stays on.')
        }
      />
      {others.map((name) => {
        const names = providers.filter(({ method }) => method === name).map((provider) => provider.name)
        return (
          <Method
            key={name}
            name={name}
            label={names.join(', ') || name}
            about={names.length > 1 ? t('These providers can only be turned on and off together.') : undefined}
          />
        )
      })}
    </section>
  )
}

/** A method that can be turned on and off. */
function Method(props: {
  name: string
  label: string
  about: string | undefined
  /** True if it can't be turned off. */
  isLocked?: boolean
}): ReactNode {
  const { name, label, about, isLocked = false } = props
  const { realm_authentication_methods: methods } = useOrganization('realm_authentication_methods')
  const isPasswordOn = isEnabled(methods, PASSWORD)
  const { change, shown, ...last } = useSavedValue(
    isEnabled(methods, name),
    // Passwords that are on only because no other method is left stay on together with the method that is turned on.
    (isOn) =>
      call('PATCH /realm', { authentication_methods: { ...(isPasswordOn && { [PASSWORD]: true }), [name]: isOn } }),
    { scope: 'organization authentication_methods' },
  )
  return (
    <SettingRow id={`authentication_methods ${name}`} label={label} {...last}>
      <Check label={label} about={about} isSelected={shown} isDisabled={isLocked && shown} onChange={change} />
    </SettingRow>
  )
}

const REQUIRED: readonly Option<Organization['realm_second_factor_required_for']>[] = [
  { id: 'nobody', label: t('Nobody') },
  { id: 'administrators', label: t('Owners and administrators') },
  { id: 'everyone', label: t('Everyone') },
]

const GRACE = [0, 1, 3, 7, 14, 30].map((value) => ({ value, label: graceLabel(value) }))

function graceLabel(days: number): string {
  return t('{days, plural, =0 {None: people set it up at once} one {# day} other {# days}}', { days })
}

type Requirement = Pick<Organization, 'realm_second_factor_required_for' | 'realm_second_factor_grace_days'>

/** Returns how many people a new requirement signs out at once: they have no two-step login and no days left for it. */
async function countSignedOut(organization: Organization, required: Requirement): Promise<number> {
  const { users_without: without } = await call('GET /realm/second_factors', {})
  // The server refuses the change then.
  if (without.some(({ user_id }) => user_id === organization.user_id)) return 0
  const now = Date.now() / 1000
  if (organization.user_list_incomplete) await loadEveryone()
  const { realm_users } = currentOrganization() ?? organization
  const roles = new Map(realm_users.map(({ user_id, role }) => [user_id, role]))
  return without.filter(({ user_id, due_at: dueAt, grace_began_at: beganAt }) => {
    const isSignedOut = dueAt !== null && dueAt <= now
    const role = roles.get(user_id)
    if (isSignedOut || role === undefined) return false
    const isRequired = mustHaveSecondFactor({ role }, required.realm_second_factor_required_for)
    return isRequired && (beganAt ?? now) + required.realm_second_factor_grace_days * SECONDS_PER_DAY <= now
  }).length
}

const SECONDS_PER_DAY = 86_400

/** The people who must have a second factor, and the days in which they set it up. */
function TwoStepLogin(): ReactNode {
  const organization = useOrganization()

  async function ask(change: Partial<Requirement>) {
    const count = await countSignedOut(organization, { ...organization, ...change })
    if (count === 0) return null
    return {
      title: t('Sign people out now?'),
      action: t('Require two-step login'),
      text: (
        <>
          {t(
            '{count, plural, one {# person has no two-step login and no time left for it. They are signed out now, and set it up when they sign in again.} other {# people have no two-step login and no time left for it. They are signed out now, and set it up when they sign in again.}}',
            { count },
          )}{' '}
          <Link to="/organization/$section" params={{ section: 'people' }} search={{ accounts: 'unprotected' }}>
            {t('Show people without two-step login')}
          </Link>
        </>
      ),
    }
  }

  return (
    <SettingsGroup title={t('Two-step login')}>
      <SavedPolicy
        name="second_factor_required_for"
        label={t('Require two-step login')}
        hint={t('An authenticator app or a passkey in addition to the password or another service. Bots need none.')}
        options={REQUIRED}
        ask={(who) => ask({ realm_second_factor_required_for: who })}
      />
      <SavedNumber
        name="second_factor_grace_days"
        label={t('Time to set it up')}
        hint={t('After that, people without two-step login are signed out, and set it up when they sign in again.')}
        options={GRACE}
        describe={graceLabel}
        ask={(days) => ask({ realm_second_factor_grace_days: days ?? 0 })}
      />
    </SettingsGroup>
  )
}

type Opened = { act: 'add' } | { act: 'change' | 'groups' | 'test' | 'addresses' | 'remove'; provider: SignInProvider }

function ProviderList({ providers, presets, may_add: mayAdd }: Providers): ReactNode {
  const [opened, setOpened] = useState<Opened | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const close = () => setOpened(null)
  const show = (act: Exclude<Opened['act'], 'add'>, provider: SignInProvider) => () => setOpened({ act, provider })
  const actsOn = (provider: SignInProvider) => [
    provider.metadata_url === ''
      ? { label: t('Test it'), run: show('test', provider) }
      : {
          label: t('Try to sign in'),
          run: () => window.open(`/accounts/login/social/${provider.id}?test`, '_blank', 'noopener'),
        },
    { label: t('Show addresses'), run: show('addresses', provider) },
    ...(provider.is_own
      ? [
          { label: t('Edit'), run: show('change', provider) },
          { label: t('Groups and roles'), run: show('groups', provider) },
          { label: t('Remove'), run: show('remove', provider), isDanger: true },
        ]
      : []),
  ]
  return (
    <SettingsGroup title={t('Providers')}>
      <p className="soft">
        {t('With a provider, people sign in with the account that they have at another service, such as Google.')}{' '}
        {!mayAdd && t('The operator of this server doesn’t allow organizations to add their own.')}
      </p>
      <div ref={list} tabIndex={-1}>
        {providers.length === 0 ? (
          <p className="soft">{t('No providers yet.')}</p>
        ) : (
          <ul className={css.providerList} aria-label={t('Providers')}>
            {providers.map((provider) => (
              <li key={provider.id}>
                <span className={css.providerText}>
                  <b>{provider.name}</b>
                  <span className="soft small">{String(provider.settings['issuer'] ?? '')}</span>
                  <span className="soft small">{stateOf(provider)}</span>
                </span>
                {provider.redirect_url !== '' && (
                  <RowMenu label={t('Actions for {name}', { name: provider.name })} items={actsOn(provider)} />
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
      {mayAdd && (
        <div className={css.providerAdd}>
          <Button
            kind="primary"
            icon={<Plus className="icon" aria-hidden="true" />}
            onPress={() => setOpened({ act: 'add' })}
          >
            {t('Add a provider')}
          </Button>
        </div>
      )}
      {(opened?.act === 'add' || opened?.act === 'change') && (
        <ProviderDialog
          provider={opened.act === 'change' ? opened.provider : null}
          presets={presets}
          onClose={close}
          onAdded={(provider) => setOpened({ act: 'addresses', provider })}
        />
      )}
      {opened?.act === 'groups' && <ProviderGroupsDialog provider={opened.provider} onClose={close} />}
      {opened?.act === 'addresses' && <ProviderAddressesDialog provider={opened.provider} onClose={close} />}
      {opened?.act === 'test' && <ProviderTestDialog provider={opened.provider} onClose={close} />}
      {opened?.act === 'remove' && (
        <ConfirmRemovalDialog
          name={opened.provider.name}
          remove={async () => {
            await call('DELETE /realm/sign_in_providers/{provider_id}', { provider_id: opened.provider.id })
            await refreshProviders()
          }}
          onClose={() => {
            close()
            // The menu that opened the dialog may have been removed.
            requestAnimationFrame(() => list.current?.focus())
          }}
        >
          {opened.provider.user_count === 0
            ? t('Nobody has signed in with it yet.')
            : t(
                '{count, plural, one {# person signs in with it. Their account stays, but they have to sign in in another way. If they have no password, they choose one with “Forgot it?” on the sign-in page.} other {# people sign in with it. Their accounts stay, but they have to sign in in another way. People without a password choose one with “Forgot it?” on the sign-in page.}}',
                { count: opened.provider.user_count },
              )}
        </ConfirmRemovalDialog>
      )}
    </SettingsGroup>
  )
}

/** Returns who has added the provider, and whether it has worked for the user. */
function stateOf({ is_own: isOwn, has_worked: hasWorked }: SignInProvider): string {
  if (isOwn) return hasWorked ? t('You have signed in with it') : t('You haven’t signed in with it yet')
  return hasWorked
    ? t('Set up by the operator · You have signed in with it')
    : t('Set up by the operator · You haven’t signed in with it yet')
}
