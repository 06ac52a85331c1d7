import type { ApiCommand, Command, PlainCommand, SettingsCommand } from './command.ts';
import { auditCommands } from './commands/audit.ts';
import { batchCommands } from './commands/batches.ts';
import { connectCommands } from './commands/connect.ts';
import { connectionCommands } from './commands/connections.ts';
import { consoleCommands } from './commands/console.ts';
import { cutoverCommands } from './commands/cutover.ts';
import { diagnoseCommands } from './commands/diagnose.ts';
import { doctorCommands } from './commands/doctor.ts';
import { domainConnectCommands } from './commands/domain-connect.ts';
import { edgeCommands } from './commands/edges.ts';
import { hostnameCommands } from './commands/hostnames.ts';
import { importCommands } from './commands/import.ts';
import { keyCommands } from './commands/keys.ts';
import { maintenanceCommands } from './commands/maintenance.ts';
import { planCommands } from './commands/plans.ts';
import { providerCommands } from './commands/providers.ts';
import { removalCommands } from './commands/removal.ts';
import { statusCommands } from './commands/status.ts';
import { targetCommands } from './commands/targets.ts';
import { tenantCommands } from './commands/tenants.ts';
import { usageCommands } from './commands/usage.ts';
import { webhookCommands } from './commands/webhooks.ts';

export type AnyCommand = Command | PlainCommand | SettingsCommand | ApiCommand;

export interface CommandGroup {
  title: string;
  commands: readonly AnyCommand[];
}

/** All commands, in the order of the help. */
export const GROUPS: readonly CommandGroup[] = [
  {
    title: 'Status and diagnosis',
    commands: [...statusCommands, ...doctorCommands, ...diagnoseCommands, ...auditCommands],
  },
  { title: 'Tenants and keys', commands: [...tenantCommands, ...removalCommands, ...keyCommands, ...consoleCommands] },
  {
    title: 'Connect hostnames',
    commands: [
      ...connectCommands,
      ...cutoverCommands,
      ...batchCommands,
      ...importCommands,
      ...connectionCommands,
      ...hostnameCommands,
      ...targetCommands,
    ],
  },
  { title: 'Webhooks', commands: webhookCommands },
  { title: 'Plans and usage', commands: [...planCommands, ...usageCommands] },
  { title: 'DNS providers', commands: [...providerCommands, ...domainConnectCommands] },
  { title: 'Run the service', commands: [...maintenanceCommands, ...edgeCommands] },
];

export const COMMANDS: readonly AnyCommand[] = GROUPS.flatMap(({ commands }) => commands);
