fx_version 'cerulean'
games { 'gta5' }

name 'causeway_commands'
version '1.0.0'
description 'Four commands that a Causeway hub may run on this server: announce, revive, give_item, set_job.'
license 'MIT'

server_only 'yes'
dependencies { 'causeway' }

server_scripts {
    'server.lua',
}
