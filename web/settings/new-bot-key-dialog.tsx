import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { BotType } from '#rules/role.ts'
import { call } from '../api/call.ts'
import { isPasswordRefusal, useCurrentPassword } from '../forms/current-password.tsx'
import { toAppError } from '../store/app-error.ts'
import type { Person } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Dialog, DialogForm } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { refreshBots } from './own-bots.ts'
import { ShownKey } from './pages/shown-key.tsx'

type KeyedBot = Pick<Person, 'user_id' | 'full_name' | 'email' | 'bot_type'>

/** Asks before a bot gets a new API key, and then shows the key once. */
export function NewBotKeyDialog({ bot, onClose }: { bot: KeyedBot; onClose: () => void }): ReactNode {
  const { user_id, full_name, email, bot_type } = bot
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => call('POST /bots/{bot_id}/api_key/regenerate', { bot_id: user_id, ...currentPassword.params }),
    onSuccess: refreshBots,
    onError: currentPassword.onError,
  })
  return (
    <Dialog
      title={
        data === undefined
          ? t('Generate a new API key for {name}?', { name: full_name })
          : t('New API key for {name}', { name: full_name })
      }
      role={data === undefined ? 'alertdialog' : 'dialog'}
      isOpen
      onClose={onClose}
      ignoresClicksOutside={data !== undefined}
    >
      {data !== undefined ? (
        <ShownKey apiKey={data.api_key} email={email} onClose={onClose} />
      ) : (
        <DialogForm action={t('Generate new key')} isDanger isPending={isPending} onSubmit={mutate} onCancel={onClose}>
          {error !== null && !isPasswordRefusal(error) && (
            <ErrorNotice title={t('Couldn’t generate a new key')} error={toAppError(error)} />
          )}
          <p>
            {bot_type === BotType.outgoingWebhook
              ? t(
                  'All keys and the webhook token of the bot stop working immediately. Programs that use them fail until you give them the new ones.',
                )
              : bot_type === BotType.incomingWebhook
                ? t(
                    'All addresses and keys of the bot stop working immediately. Every service that uses one fails until you give it a new one. To keep them, create a further address on the page “Integrations”.',
                  )
                : t(
                    'All keys of the bot stop working immediately. Programs that use one fail until you give them the new one.',
                  )}
          </p>
          {currentPassword.field}
        </DialogForm>
      )}
    </Dialog>
  )
}
