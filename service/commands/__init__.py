"""The commands that the service adds to `workbench`, by its entry point `workbench.commands`."""

from workbench.cli.main import SubCommand

COMMANDS: dict[str, SubCommand] = {
    "serve": SubCommand("service.commands.serve", "Serve the /v1 interface over HTTP."),
    "worker": SubCommand("service.commands.worker", "Run jobs alone, beside a serve --no-jobs."),
    "keys": SubCommand("service.commands.keys", "Create, list, revoke and rotate API keys of the service."),
    "accounts": SubCommand("service.commands.accounts", "Show and change billing states, read ledgers, move accounts."),
    "videos": SubCommand("service.commands.videos", "Ingest local files as videos that have an id."),
    "jobs": SubCommand("service.commands.jobs", "List the service's jobs, run a failed one again, cancel one."),
    "backup": SubCommand(
        "service.commands.backup", "Write the service's records and files to one file, or restore it."
    ),
    "mcp": SubCommand("service.commands.mcp", "Offer the service to MCP clients, one tool an endpoint."),
    "settings": SubCommand("service.commands.settings", "Print every setting with its value and meaning."),
}
