import { queryOptions, useQuery } from '@tanstack/react-query'
import KeyRound from 'lucide-react/icons/key-round'
import Link from 'lucide-react/icons/link'
import Monitor from 'lucide-react/icons/monitor'
import Plus from 'lucide-react/icons/plus'
import Smartphone from 'lucide-react/icons/smartphone'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, call } from '../../api/call.ts'
import { hasPasskeys } from '../../browser/passkeys.ts'
import { isTwoStepOn, secondFactorsQuery } from '../../forms/current-password.tsx'
import { SettingsGroup } from '../../forms/setting-row.tsx'
import { toAppError } from '../../store/app-error.ts'
import { queryClient } from '../../store/query-client.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './api-keys.module.css'
import * as own from './security.module.css'
import {
  AppDialog,
  ConfirmDialog,
  NewCodesDialog,
  PasskeyDialog,
  RenameDialog,
  type SecondFactors,
} from './security-dialogs.tsx'

const refresh = () => void queryClient.invalidateQueries({ queryKey: secondFactorsQuery.queryKey })

/** The second factors of the account: an authenticator app, passkeys, recovery codes and trusted browsers. */
export function Security(): ReactNode {
  const { data, error, refetch } = useQuery(secondFactorsQuery)
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading security settings')} />
  const isOn = isTwoStepOn(data)
  return (
    <>
      {!isOn && (
        <div className={own.securityNotice}>
          {data.has_password ? (
            <Notice title={t('Your password alone protects your account')}>
              <p>{t('With an authenticator app or a passkey, a stolen password is not enough to sign in.')}</p>
            </Notice>
          ) : (
            <Notice title={t('Your sign-in with another service alone protects your account')}>
              <p>{t('With an authenticator app or a passkey, access to your account there is not enough.')}</p>
            </Notice>
          )}
        </div>
      )}
      <App addedAt={data.totp_added_at} />
      <Passkeys factors={data} />
      {isOn && <Codes left={data.recovery_codes_left} />}
      <ConnectedAccounts />
      {data.trusted_browsers.length > 0 && <TrustedBrowsers browsers={data.trusted_browsers} />}
    </>
  )
}

function App({ addedAt }: { addedAt: number | null }): ReactNode {
  const [shown, show] = useState<'add' | 'remove' | null>(null)
  const close = () => show(null)
  return (
    <SettingsGroup title={t('Authenticator app')}>
      <div data-setting="authenticator-app">
        <div className={own.factorRow}>
          <Smartphone className="icon" aria-hidden="true" />
          <div className={css.keyText}>
            <b>{addedAt === null ? t('Not set up') : t('Set up')}</b>
            <span className="soft small">
              {addedAt === null
                ? t('An app on your phone shows a code for each login.')
                : rich('Added {time}', { time: <Time at={addedAt} as="ago" /> })}
            </span>
          </div>
          {addedAt === null ? (
            <Button aria-label={t('Set up an authenticator app')} onPress={() => show('add')}>
              {t('Set up')}
            </Button>
          ) : (
            <Button aria-label={t('Remove the authenticator app')} onPress={() => show('remove')}>
              {t('Remove')}
            </Button>
          )}
        </div>
      </div>
      {shown === 'add' && <AppDialog onClose={close} onChanged={refresh} />}
      {shown === 'remove' && (
        <ConfirmDialog
          title={t('Remove the authenticator app?')}
          text={t('Its codes no longer work. Without a passkey, your password alone is then enough to log in.')}
          action={t('Remove app')}
          run={async (params) => {
            await call('DELETE /users/me/totp', params)
            refresh()
            showToast(t('Authenticator app removed'))
          }}
          onClose={close}
        />
      )}
    </SettingsGroup>
  )
}

const connectedAccountsQuery = queryOptions({
  queryKey: ['connected-accounts'],
  queryFn: ({ signal }) => call('GET /users/me/connected_accounts', {}, { signal }),
  staleTime: 0,
})

type ConnectedAccount = AnswerOf<'GET /users/me/connected_accounts'>['connected_accounts'][number]

/** The accounts of other services that sign in to this one; nothing if there are none. */
function ConnectedAccounts(): ReactNode {
  const { data } = useQuery(connectedAccountsQuery)
  const [removed, setRemoved] = useState<ConnectedAccount | null>(null)
  if (data === undefined || data.connected_accounts.length === 0) return null
  return (
    <SettingsGroup title={t('Connected accounts')}>
      <div className={`stack ${own.securityPart}`}>
        <p className="soft">{t('You can sign in with these accounts of other services.')}</p>
        <ul className={`card ${css.keyList}`} aria-label={t('Connected accounts')}>
          {data.connected_accounts.map((account) => (
            <li key={account.id} className={css.keyRow}>
              <Link className="icon" aria-hidden="true" />
              <div className={css.keyText}>
                <b>{account.service}</b>
                <span className="soft small">
                  {account.is_offered
                    ? rich('Last used {time}', { time: <Time at={account.last_used_at} as="ago" /> })
                    : t('Your organization does not offer it anymore')}
                </span>
              </div>
              <Button
                aria-label={t('Disconnect {service}', { service: account.service })}
                onPress={() => setRemoved(account)}
              >
                {t('Disconnect')}
              </Button>
            </li>
          ))}
        </ul>
      </div>
      {removed !== null && (
        <ConfirmDialog
          title={t('Disconnect {service}?', { service: removed.service })}
          text={t('You can no longer sign in with your account at {service}.', { service: removed.service })}
          action={t('Disconnect')}
          run={async (params) => {
            await call('DELETE /users/me/connected_accounts/{account_id}', { account_id: removed.id, ...params })
            await queryClient.invalidateQueries(connectedAccountsQuery)
            showToast(t('{service} disconnected', { service: removed.service }))
          }}
          onClose={() => setRemoved(null)}
        />
      )}
    </SettingsGroup>
  )
}

type Passkey = SecondFactors['passkeys'][number]

function Passkeys({ factors }: { factors: SecondFactors }): ReactNode {
  const [shown, show] = useState<'add' | { rename: Passkey } | { remove: Passkey } | null>(null)
  const close = () => show(null)
  const { passkeys, supports_passkeys } = factors
  const canAdd = supports_passkeys && hasPasskeys()
  return (
    <SettingsGroup title={t('Passkeys')}>
      <div data-setting="passkeys" className={`stack ${own.securityPart}`}>
        {passkeys.length > 0 && (
          <ul className={`card ${css.keyList}`} aria-label={t('Your passkeys')}>
            {passkeys.map((passkey) => (
              <PasskeyRow
                key={passkey.id}
                passkey={passkey}
                onRename={() => show({ rename: passkey })}
                onRemove={() => show({ remove: passkey })}
              />
            ))}
          </ul>
        )}
        <p className="soft small">
          {canAdd
            ? t('Log in with your fingerprint, face, PIN or a security key, with or without your password.')
            : supports_passkeys
              ? t('This browser can’t use passkeys.')
              : t('Passkeys need an address that starts with https://.')}
        </p>
        {canAdd && (
          <div>
            <Button icon={<Plus className="icon" aria-hidden="true" />} onPress={() => show('add')}>
              {t('Add passkey')}
            </Button>
          </div>
        )}
      </div>
      {shown === 'add' && <PasskeyDialog onClose={close} onChanged={refresh} />}
      {shown !== null && shown !== 'add' && 'rename' in shown && (
        <RenameDialog passkey={shown.rename} onClose={close} onChanged={refresh} />
      )}
      {shown !== null && shown !== 'add' && 'remove' in shown && (
        <ConfirmDialog
          title={t('Remove the passkey {name}?', { name: shown.remove.name })}
          text={t('You can’t log in with it anymore. Your device may still list it; you can delete it there, too.')}
          action={t('Remove passkey')}
          run={async (params) => {
            await call('DELETE /users/me/passkeys/{passkey_id}', { passkey_id: shown.remove.id, ...params })
            refresh()
            showToast(t('Passkey removed'))
          }}
          onClose={close}
        />
      )}
    </SettingsGroup>
  )
}

function PasskeyRow(props: { passkey: Passkey; onRename: () => void; onRemove: () => void }): ReactNode {
  const { passkey, onRename, onRemove } = props
  const { name, created_at, last_used_at } = passkey
  return (
    <li className={css.keyRow}>
      <KeyRound className="icon" aria-hidden="true" />
      <div className={css.keyText}>
        <b>{name}</b>
        <span className="soft small">
          {last_used_at === null
            ? rich('Added {time} · never used', { time: <Time at={created_at} as="ago" /> })
            : rich('Added {time} · last used {used}', {
                time: <Time at={created_at} as="ago" />,
                used: <Time at={last_used_at} as="ago" />,
              })}
        </span>
      </div>
      <div className={`row ${own.passkeyActions}`}>
        <Button aria-label={t('Rename {name}', { name })} onPress={onRename}>
          {t('Rename')}
        </Button>
        <Button aria-label={t('Remove {name}', { name })} onPress={onRemove}>
          {t('Remove')}
        </Button>
      </div>
    </li>
  )
}

function Codes({ left }: { left: number }): ReactNode {
  const [isAsking, ask] = useState(false)
  return (
    <SettingsGroup title={t('Recovery codes')}>
      <div data-setting="recovery-codes" className={`stack ${own.securityPart}`}>
        <p className="soft small">
          {t(
            '{left, plural, =0 {You have no codes left.} one {You have # code left.} other {You have # codes left.}} Each works once if you have lost your phone or passkey.',
            { left },
          )}
        </p>
        <div>
          <Button onPress={() => ask(true)}>{t('Replace codes…')}</Button>
        </div>
      </div>
      {isAsking && <NewCodesDialog onClose={() => ask(false)} onChanged={refresh} />}
    </SettingsGroup>
  )
}

function TrustedBrowsers({ browsers }: { browsers: SecondFactors['trusted_browsers'] }): ReactNode {
  async function forget(id: number) {
    try {
      await call('DELETE /users/me/trusted_browsers/{browser_id}', { browser_id: id })
    } catch (error) {
      showToast(toAppError(error).message, { kind: 'error' })
    }
    refresh()
  }
  return (
    <SettingsGroup title={t('Trusted browsers')}>
      <div data-setting="trusted-browsers" className={`stack ${own.securityPart}`}>
        <ul className={`card ${css.keyList}`} aria-label={t('Trusted browsers')}>
          {browsers.map(({ id, browser, expires_at }) => (
            <li key={id} className={css.keyRow}>
              <Monitor className="icon" aria-hidden="true" />
              <div className={css.keyText}>
                <b>{browser || t('Unknown browser')}</b>
                <span className="soft small">
                  {rich('No two-step login until {time}', { time: <Time at={expires_at} as="absolute" /> })}
                </span>
              </div>
              <Button
                aria-label={t('Forget {browser}', { browser: browser || t('Unknown browser') })}
                onPress={() => void forget(id)}
              >
                {t('Forget')}
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </SettingsGroup>
  )
}
