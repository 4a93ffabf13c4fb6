/** Ruby: bundler, rake, rspec and minitest. */

export const sources = /^rb$/;

export const tests = [/(?:^|\/)step_definitions\//i, /(?:^|\/)rails_helper\.\w+$/];

export const runnerSettings = [/(?:^|\/)\.(?:rspec|simplecov)[^/]*$/, /(?:^|\/)Rakefile$/];

export const dependencyFiles = [/(?:^|\/)Gemfile(?:\.lock)?$|\.gemspec$/];

export const inputs = ['Gemfile', 'Gemfile.lock', '.ruby-version'];
