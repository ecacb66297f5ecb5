import { Argument, type Command } from 'commander'

const shells = ['bash', 'zsh', 'fish'] as const

/** Adds the command that prints a completion script, which knows all commands and options of this version. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices([...shells]))
    .action((shell: (typeof shells)[number]) => {
      process.stdout.write(completionScript(program, shell))
    })
}

/** Returns the words that may follow each command: the names of its subcommands and its options. */
function wordsByCommand(command: Command, path: readonly string[] = []): [path: string, words: string[]][] {
  const options = command.options.flatMap(({ long }) => long ?? [])
  const words = [...command.commands.map((one) => one.name()), ...options, '--help']
  return [[path.join(' '), words], ...command.commands.flatMap((one) => wordsByCommand(one, [...path, one.name()]))]
}

function completionScript(program: Command, shell: (typeof shells)[number]): string {
  const name = program.name()
  const entries = wordsByCommand(program)
  if (shell === 'fish')
    return entries
      .map(([path, words]) => {
        const isHere = `test (string join ' ' -- (string match -v -- '-*' (commandline -opc)[2..])) = '${path}'`
        return `complete -c ${name} -f -n "${isHere}" -a '${words.join(' ')}'\n`
      })
      .join('')
  const cases = entries.map(([path, words]) => `    '${path}') words='${words.join(' ')}' ;;\n`).join('')
  const script = `_${name}() {
  local word path='' words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases}  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _${name} ${name}
`
  return shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`
}
