import { useMutation, useQuery } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import Trash from 'lucide-react/icons/trash-2'
import { type ReactNode, useState } from 'react'
import { isCommandName, isReservedCommand, MAX_COMMAND_NAME, MAX_COMMANDS } from '#rules/bot-commands.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { type AnswerOf, call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogForm } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/page-states.tsx'
import { showToast } from '../ui/toasts.ts'
import * as css from './bot-commands-dialog.module.css'

type Command = AnswerOf<'GET /bots/{bot_id}/commands'>['commands'][number]

/** A command in the form; `key` identifies its row. */
type Row = Command & { key: number }

/** Edits the commands of an outgoing webhook. */
export function BotCommandsDialog(props: {
  bot: { user_id: number; full_name: string }
  onClose: () => void
}): ReactNode {
  const { bot, onClose } = props
  const { data, error, refetch } = useQuery({
    queryKey: ['commands-of-bot', bot.user_id],
    queryFn: ({ signal }) => call('GET /bots/{bot_id}/commands', { bot_id: bot.user_id }, { signal }),
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <Dialog title={t('Commands of {name}', { name: bot.full_name })} size="large" isOpen onClose={onClose}>
      {error !== null ? (
        <div className="dialog-body">
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        </div>
      ) : data === undefined ? (
        <div className="dialog-body">
          <Loading label={t('Loading commands')} />
        </div>
      ) : (
        <CommandsForm botId={bot.user_id} commands={data.commands} onClose={onClose} />
      )}
    </Dialog>
  )
}

function CommandsForm(props: { botId: number; commands: readonly Command[]; onClose: () => void }): ReactNode {
  const { botId, commands, onClose } = props
  const [rows, setRows] = useState<readonly Row[]>(() =>
    commands.length === 0 ? [emptyRow(0)] : commands.map((command, key) => ({ ...command, key })),
  )
  const [errors, setErrors] = useState<ReadonlyMap<number, string>>(new Map())
  const { mutate, isPending, error } = useMutation({
    mutationFn: (given: readonly Command[]) =>
      call('PUT /bots/{bot_id}/commands', { bot_id: botId, commands: [...given] }),
    onSuccess() {
      showToast(t('Commands saved'))
      onClose()
    },
  })

  function change(key: number, part: Partial<Command>) {
    setRows(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
    setErrors(new Map([...errors].filter(([at]) => at !== key)))
  }

  function submit() {
    const filled = rows.filter(({ name, description, argument_hint }) => name + description + argument_hint !== '')
    const found = findErrors(filled)
    setErrors(found)
    if (found.size === 0) mutate(filled.map(({ key: _, ...command }) => trimmed(command)))
  }

  return (
    <DialogForm action={t('Save')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
      {error !== null && <ErrorNotice title={t('Couldn’t save the commands')} error={toAppError(error)} />}
      <p className="soft">
        {t(
          'A message that starts with a command is sent to the conversation, and to the URL of the bot. In private channels and direct messages, the bot must take part.',
        )}
      </p>
      <ul className={css.botCommands} aria-label={t('Commands')}>
        {rows.map((row, index) => (
          <li key={row.key} className={css.botCommand}>
            <TextField
              label={t('Command')}
              autoComplete="off"
              maxLength={MAX_COMMAND_NAME + 1}
              placeholder={t('/deploy')}
              value={row.name === '' ? '' : `/${row.name}`}
              error={errors.get(row.key) ?? null}
              onChange={(name) => change(row.key, { name: name.replace(/^\//, '').toLowerCase() })}
            />
            <TextField
              label={t('Usage hint')}
              autoComplete="off"
              maxLength={MAX_LENGTH.commandHint}
              placeholder={t('[environment]')}
              value={row.argument_hint}
              onChange={(argument_hint) => change(row.key, { argument_hint })}
            />
            <TextField
              label={t('Description')}
              autoComplete="off"
              maxLength={MAX_LENGTH.commandDescription}
              placeholder={t('Deploys the website')}
              value={row.description}
              onChange={(description) => change(row.key, { description })}
            />
            <Button
              kind="quiet"
              icon={<Trash className="icon" aria-hidden="true" />}
              aria-label={t('Remove command {number}', { number: index + 1 })}
              onPress={() => setRows(rows.filter(({ key }) => key !== row.key))}
            />
          </li>
        ))}
      </ul>
      {rows.length < MAX_COMMANDS && (
        <div>
          <Button
            icon={<Plus className="icon" aria-hidden="true" />}
            onPress={() => setRows([...rows, emptyRow(1 + Math.max(-1, ...rows.map(({ key }) => key)))])}
          >
            {t('Add command')}
          </Button>
        </div>
      )}
    </DialogForm>
  )
}

const emptyRow = (key: number): Row => ({ key, name: '', description: '', argument_hint: '' })

const trimmed = ({ name, description, argument_hint }: Command): Command => ({
  name: name.trim(),
  description: description.trim(),
  argument_hint: argument_hint.trim(),
})

/** Returns the errors of the names by the keys of their rows. The server checks the names of other bots. */
function findErrors(rows: readonly Row[]): Map<number, string> {
  const errors = new Map<number, string>()
  const known = new Set<string>()
  for (const { key, name: typed } of rows) {
    const name = typed.trim()
    if (!isCommandName(name)) errors.set(key, t('Use lowercase letters, digits, hyphens and underscores.'))
    else if (isReservedCommand(name)) errors.set(key, t('This is a built-in command.'))
    else if (known.has(name)) errors.set(key, t('This command is in the list twice.'))
    known.add(name)
  }
  return errors
}
