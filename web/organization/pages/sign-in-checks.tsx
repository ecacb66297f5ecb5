import { useQuery } from '@tanstack/react-query'
import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import type { ReactNode } from 'react'
import { type AnswerOf, call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import * as css from './sign-in.module.css'
import type { SignInProvider } from './sign-in-form.tsx'

/** Shows the addresses that are entered at the provider. */
export function ProviderAddressesDialog(props: { provider: SignInProvider; onClose: () => void }): ReactNode {
  const { provider, onClose } = props
  return (
    <Dialog title={t('Addresses for {name}', { name: provider.name })} isOpen onClose={onClose} ignoresClicksOutside>
      <div className="dialog-body">
        <p>{t('Enter these addresses in the settings of the provider. Then test it with its menu.')}</p>
        <Address
          label={t('Redirect address')}
          about={t('Without it, the provider refuses sign-ins.')}
          action={t('Copy redirect address')}
          address={provider.redirect_url}
        />
        {provider.metadata_url !== '' && (
          <Address
            label={t('Metadata')}
            about={t('Providers that read it need no other address.')}
            action={t('Copy metadata address')}
            address={provider.metadata_url}
          />
        )}
        {provider.logout_url !== '' && (
          <Address
            label={t('Logout address')}
            about={t(
              'For back-channel logout, if the provider offers it: people who log out there are logged out here, too.',
            )}
            action={t('Copy logout address')}
            address={provider.logout_url}
          />
        )}
      </div>
      <DialogActions>
        <Button kind="primary" onPress={onClose}>
          {t('Done')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Address(props: { label: string; about: string; action: string; address: string }): ReactNode {
  const { label, about, action, address } = props
  return (
    <div>
      <h3>{label}</h3>
      <p className="soft small">{about}</p>
      <code className={css.providerAddress}>{address}</code>
      <CopyButton text={address}>{action}</CopyButton>
    </div>
  )
}

/** Checks a provider, and shows what is fine and what to do about the rest. */
export function ProviderTestDialog(props: { provider: SignInProvider; onClose: () => void }): ReactNode {
  const { provider, onClose } = props
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['sign-in-provider-test', provider.id],
    queryFn: ({ signal }) =>
      call('POST /realm/sign_in_providers/{provider_id}/test', { provider_id: provider.id }, { signal }),
    gcTime: 0,
    retry: false,
  })
  return (
    <Dialog title={t('Test of {name}', { name: provider.name })} isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t run the test')} error={toAppError(error)} />}
        {isFetching && <Loading label={t('Testing the provider')} />}
        {!isFetching && data !== undefined && <Report checks={data.checks} />}
        <p>
          {t(
            'The client ID and the client secret are checked when you sign in. Try it: you see what the provider sends about you, and can connect it to your account.',
          )}
        </p>
        <p>
          <a
            className="button"
            href={`/accounts/login/social/${provider.id}?test`}
            target="_blank"
            rel="noopener noreferrer"
          >
            {t('Try to sign in')}
          </a>
        </p>
      </div>
      <DialogActions>
        <Button isPending={isFetching} onPress={() => void refetch()}>
          {t('Test again')}
        </Button>
        <Button kind="primary" onPress={onClose}>
          {t('Done')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type CheckLine = AnswerOf<'POST /realm/sign_in_providers/{provider_id}/test'>['checks'][number]

function Report({ checks }: { checks: readonly CheckLine[] }): ReactNode {
  return (
    <ul className={css.checks} aria-label={t('Report')}>
      {checks.map((line) => (
        <li key={line.check} data-fine={line.is_fine || undefined}>
          {line.is_fine ? (
            <CircleCheck className="icon" aria-label={t('Fine')} />
          ) : (
            <CircleAlert className="icon" aria-label={t('Problem')} />
          )}
          <span>{line.is_fine ? fineText(line) : problemText(line)}</span>
        </li>
      ))}
    </ul>
  )
}

function fineText({ check, detail }: CheckLine): string {
  switch (check) {
    case 'discovery':
      return t('The issuer is valid: {issuer}', { issuer: detail })
    case 'endpoints':
      return t('It has all addresses that a sign-in needs.')
    case 'keys':
      return t('It publishes {count, plural, one {# key} other {# keys}}, so that its answers can be verified.', {
        count: Number(detail),
      })
    case 'pkce':
      return t('It protects sign-ins with PKCE.')
  }
}

/** Returns what is wrong, and what to do. */
function problemText({ check, detail }: CheckLine): string {
  if (detail === 'unreachable: forbidden')
    return t(
      'The address is in a private network. Only the operator of this server can allow it, with OUTGOING_WEBHOOK_PRIVATE_HOSTS.',
    )
  switch (check) {
    case 'discovery':
      return detail.startsWith('unreachable')
        ? t('The provider can’t be reached ({detail}). Check the issuer, and whether the provider is running.', {
            detail,
          })
        : t(
            'There is no valid discovery document at the issuer ({detail}). The issuer must be exactly the one that the provider names in its settings.',
            { detail },
          )
    case 'endpoints':
      return t('It doesn’t name {detail}. Turn on OpenID Connect with the authorization code flow at the provider.', {
        detail,
      })
    case 'keys':
      return detail === '0'
        ? t('It publishes no keys, so its answers can’t be verified. Add a key for signatures at the provider.')
        : t('Its keys can’t be fetched ({detail}). Test again in a minute, then check the provider.', { detail })
    case 'pkce':
      return t('It offers PKCE only with {detail}. Allow the method S256 at the provider.', { detail })
  }
}
