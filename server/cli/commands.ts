import type { Command } from 'commander'
import { addAuditCommand } from './audit-command.ts'
import { addBackupCommand } from './backup-command.ts'
import { addBotCommands } from './bot-commands.ts'
import { addChannelCommands } from './channel-commands.ts'
import { addCompletionCommand } from './completion-command.ts'
import { addConfigCommands } from './config-commands.ts'
import { addDatabaseCommands } from './database-commands.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { addFilesCommands } from './files-commands.ts'
import { addGroupCommands } from './group-commands.ts'
import { addHealthCommand } from './health-command.ts'
import { addHoldCommands } from './hold-commands.ts'
import { addInviteCommands } from './invite-commands.ts'
import { addLdapCommands } from './ldap-commands.ts'
import { addMailCommands } from './mail-commands.ts'
import { addOrganizationCommands } from './organization-commands.ts'
import { addPushCommands } from './push-commands.ts'
import { addServerCommands } from './server-commands.ts'
import { addUserCommands } from './user-commands.ts'

/** Adds all commands, in the order in which `--help` lists them. */
export function addCommands(program: Command): void {
  addOrganizationCommands(program)
  addUserCommands(program)
  addInviteCommands(program)
  addBotCommands(program)
  addGroupCommands(program)
  addChannelCommands(program)
  addAuditCommand(program)
  addHoldCommands(program)
  addLdapCommands(program)
  addMailCommands(program)
  addPushCommands(program)
  addServerCommands(program)
  addHealthCommand(program)
  addConfigCommands(program)
  addDoctorCommand(program)
  addBackupCommand(program)
  addDatabaseCommands(program)
  addFilesCommands(program)
  addCompletionCommand(program)
}
