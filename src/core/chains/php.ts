/** PHP: composer and phpunit. */

export const sources = /^php$/;

export const tests = [/(?:Tests?|TestCase|IT|Spec|Specs)\.php$/, /(?:^|\/)Test[A-Z]\w*\.php$/, /\.phpt$/];

export const runnerSettings = [/(?:^|\/)(?:phpunit|behat|codeception)[^/]*\.(?:xml|ya?ml|dist|php)$/];

export const dependencyFiles = [/(?:^|\/)composer\.(?:json|lock)$/];

export const inputs = ['composer.json', 'composer.lock'];
